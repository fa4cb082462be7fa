#include "tests/query/sampling/orders/uniformity.h"

#include <doctest/doctest.h>

#include <numeric>

#include "tests/query/sampling/orders/shuffle_tests.h"

namespace ofindex {
namespace {

TEST_CASE("p-values match published tables") {
  struct Row {
    double statistic;
    double degrees;
    double p;
  };
  // scipy.stats.chi2.sf
  const std::vector<Row> rows = {
      {0.5, 1, 0.47950012218695337},
      {3.841458820694124, 1, 0.04999999999999989},
      {2, 2, 0.36787944117144245},
      {11.3, 10, 0.3346278937757643},
      {100, 120, 0.907734948041067},
      {119, 119, 0.482758726082452},
      {180, 119, 0.000260215699348805},
      {255, 255, 0.48822252177040637},
      {400, 255, 1.6600025244123397e-08},
      {5039, 5039, 0.49735069117263625},
      {4700, 5039, 0.9997186890577024},
      {1200, 255, 3.4309217929885567e-122},
      {100000.0, 100000, 0.4994052918952067},
      {30, 1, 4.3204630578274955e-08},
  };
  for (const Row& row : rows) {
    CAPTURE(row.statistic);
    CAPTURE(row.degrees);
    CHECK(ChiSquareP(row.statistic, row.degrees) == doctest::Approx(row.p).epsilon(1e-9));
  }
  // scipy.stats.norm.sf
  CHECK(NormalP(0) == 0.5);
  CHECK(NormalP(1.959963984540054) == doctest::Approx(0.025));
  CHECK(NormalP(-3) == doctest::Approx(0.9986501019683699));
  CHECK(NormalP(8) == doctest::Approx(6.220960574271785e-16));
}

TEST_CASE("expected statistics of an order are the means over all orders") {
  for (const uint64_t size : std::vector<uint64_t>{5, 6, 7, 8}) {
    CAPTURE(size);
    std::vector<uint64_t> order(size);
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::vector<double> at_most(size + 1);
    double orders = 0;
    double rises[2] = {};
    double serial[2] = {};
    double two_apart[2] = {};
    const auto add = [](double(&sums)[2], double z) { sums[0] += z, sums[1] += z * z; };
    do {
      for (uint64_t length = LongestRise(order); length <= size; ++length) ++at_most[length];
      add(rises, RiseMoments(size).Normal(static_cast<double>(Rises(order))));
      add(serial, SerialMoments(size).Normal(SerialSum(order, 1)));
      add(two_apart, SerialMoments(size).Normal(SerialSum(order, 2)));
      CHECK(Rank(order) == static_cast<uint64_t>(orders));
      ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    for (uint64_t length = 1; length < size; ++length)
      CHECK(RisesBelowP(size, length + 1) == doctest::Approx(at_most[length] / orders));
    for (const auto& sums : {rises, serial, two_apart}) {
      CHECK(sums[0] / orders == doctest::Approx(0).epsilon(1e-9));
      CHECK(sums[1] / orders == doctest::Approx(1));
    }
  }
}

TEST_CASE("counts have the p-value of their chi-square, and impossible events are detected") {
  // scipy.stats.chisquare
  CHECK(CountsP(std::vector<uint64_t>{16, 18, 16, 14, 12, 12}, std::vector<double>{16, 16, 16, 16, 16, 8}) ==
        doctest::Approx(0.6233876277495822));
  // Joined to 6 and 7 against 5 each, which leaves one degree of freedom.
  CHECK(CountsP(std::vector<uint64_t>{2, 4, 3, 4}, std::vector<double>{2.5, 2.5, 2.5, 2.5}) ==
        doctest::Approx(ChiSquareP(1, 1)));
  CHECK(CountsP(std::vector<uint64_t>{10, 1, 10}, std::vector<double>{10, 0, 10}) == 0);
  CHECK(CountsP(std::vector<uint64_t>{10, 0, 10}, std::vector<double>{10, 0, 10}) == 1);
}

TEST_CASE("every number falls into exactly one bin") {
  for (const uint64_t size : {1U, 5U, 255U, 256U, 257U, 1000U}) {
    const Bins bins(size, 256);
    std::vector<uint64_t> counts(bins.count());
    for (uint64_t x = 0; x < size; ++x) ++counts[bins.Of(x)];
    for (uint64_t i = 0; i < bins.count(); ++i) CHECK(counts[i] == bins.Width(i));
  }
}

}  // namespace
}  // namespace ofindex
