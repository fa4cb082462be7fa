#include "tools/serve/counting/nice_bins.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "query/crossfilter/codes/binning.h"

namespace ofindex {
namespace {

using Limits = std::numeric_limits<double>;

TEST_CASE("edges are numbers that people read") {
  CHECK(NiceEdges(0, 9, 60, true) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(NiceEdges(0.03, 0.31, 4, false) == std::vector<double>{0, 0.1, 0.2, 0.3, 0.4});
  CHECK(NiceEdges(-7, 7, 3, false) == std::vector<double>{-10, -5, 0, 5, 10});
  CHECK(NiceEdges(5, 5, 60, true) == std::vector<double>{5, 6});
  CHECK(NiceEdges(0, 0, 60, false).front() == 0);
  CHECK(NiceEdges(1e6, 3e6, 60, true)[1] == 1'050'000);
}

TEST_CASE("every number is in a bin, whatever the bounds") {
  std::mt19937_64 random(7);
  const auto some = [&] {
    const std::vector<double> odd = {0,      -0.0,  1, -1, Limits::denorm_min(), Limits::max(), Limits::lowest(),
                                     0x1p53, 1e-300};
    if (random() % 4 == 0) return odd[random() % odd.size()];
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    return std::ldexp(unit, static_cast<int>(random() % 2000) - 1000);
  };
  for (int i = 0; i < 20'000; ++i) {
    double min = some();
    double max = random() % 3 == 0 ? min + std::abs(min) * 0x1p-40 * static_cast<double>(random() % 100) : some();
    const bool whole = random() % 2 == 0;
    if (whole) {
      min = std::round(std::clamp(min, -0x1p62, 0x1p62));
      max = std::round(std::clamp(max, -0x1p62, 0x1p62));
    }
    if (!std::isfinite(max)) max = min;
    if (min > max) std::swap(min, max);
    const std::vector<double> edges = NiceEdges(min, max, 60, whole);
    REQUIRE_MESSAGE(NumberBins::Between(edges).has_value(), min, " to ", max);
    CHECK(edges.size() <= 64);
    CHECK(edges.front() <= min);
    CHECK((edges.back() > max || max == Limits::max()));
    if (whole) CHECK(std::all_of(edges.begin(), edges.end(), [](double edge) { return edge == std::round(edge); }));
  }
}

}  // namespace
}  // namespace ofindex
