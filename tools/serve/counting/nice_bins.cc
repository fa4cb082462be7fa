#include "tools/serve/counting/nice_bins.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ofindex {
namespace {

// The width of bins: `digit` times ten to the power `exponent`.
struct NiceStep {
  double digit = 1;  // 1, 2 or 5
  int exponent = 0;

  [[nodiscard]] double width() const { return At(1); }

  // Returns a multiple of the width. The quotient is the double nearest to the decimal number, a product with a rounded
  // power of ten is not.
  [[nodiscard]] double At(double times) const {
    const double count = times * digit;
    return exponent < 0 ? count / std::pow(10.0, -exponent) : count * std::pow(10.0, exponent);
  }
};

// Returns the smallest nice width of at least `least`, which is positive.
NiceStep StepOf(double least) {
  NiceStep step{.exponent = static_cast<int>(std::floor(std::log10(least)))};
  for (const double digit : {1.0, 2.0, 5.0}) {
    step.digit = digit;
    if (step.width() >= least) return step;
  }
  return {.digit = 1, .exponent = step.exponent + 1};
}

// One bin around numbers that no nice edges divide: they are too near to each other, or too far from 0.
std::vector<double> OneBin(double min, double max) {
  const double above = std::nextafter(max, std::numeric_limits<double>::infinity());
  if (std::isfinite(above)) return {min, above};
  return {min < max ? min : std::nextafter(min, 0.0), max};
}

}  // namespace

std::vector<double> NiceEdges(double min, double max, size_t limit, bool whole) {
  // Halves, because the difference may exceed all doubles.
  const double half_width = (max / 2 - min / 2) / static_cast<double>(limit);
  double least = half_width * 2;
  if (min == max) least = whole ? 1 : std::max(std::abs(min), 1.0) / 10;
  if (whole) least = std::max(least, 1.0);
  const double spacing = std::max(std::abs(min), std::abs(max)) * 0x1p-50;
  if (!std::isfinite(least) || least < std::max(spacing, 1e-290) || least > 1e290) return OneBin(min, max);

  const NiceStep step = StepOf(least);
  double first = std::floor(min / step.width());
  if (step.At(first) > min) --first;
  std::vector<double> edges = {step.At(first)};
  while (edges.back() <= max) edges.push_back(step.At(first + static_cast<double>(edges.size())));
  return edges;
}

}  // namespace ofindex
