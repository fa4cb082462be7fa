#include "query/sampling/orders/weighted_draws.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/query/sampling/chi_square.h"

namespace ofindex {
namespace {

WeightedDraws WeightedDrawsOf(const std::vector<double>& weights, uint64_t seed) {
  auto table = AliasTable::Of(weights);
  REQUIRE(table.has_value());
  return {std::make_shared<const AliasTable>(std::move(*table)), SampleKey(seed, 0, SampleUse::kDraws)};
}

std::vector<uint64_t> CountsOfDraws(const WeightedDraws& draws, uint64_t first, size_t count) {
  std::vector<uint64_t> drawn(count);
  draws.Fill(first, 1, drawn);
  std::vector<uint64_t> counts(draws.size());
  for (const uint64_t item : drawn) ++counts[item];
  return counts;
}

TEST_CASE("items are drawn in proportion to their weights") {
  const std::vector<std::vector<double>> cases = {
      {1, 1}, {1, 2, 3, 4, 0, 10}, {0.5, 0, 1e-3, 1}, std::vector<double>(1000, 3.0), {1, 100, 10'000},
  };
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (const std::vector<double>& weights : cases) {
      CAPTURE(weights.size());
      CHECK(ChiSquareDeviations(CountsOfDraws(WeightedDrawsOf(weights, seed), 0, 1'000'000), weights) < 4.5);
    }
  }
}

TEST_CASE("two consecutive draws are independent") {
  const std::vector<double> weights = {1, 2, 3, 4};
  const WeightedDraws draws = WeightedDrawsOf(weights, 1);
  std::vector<uint64_t> pairs(16);
  std::vector<double> expected(16);
  for (size_t i = 0; i < 16; ++i) expected[i] = weights[i / 4] * weights[i % 4];
  for (uint64_t i = 0; i < 1'000'000; i += 2) ++pairs[draws.At(i) * 4 + draws.At(i + 1)];
  CHECK(ChiSquareDeviations(pairs, expected) < 4.5);
}

TEST_CASE("draws with another key, or at later positions, differ") {
  const std::vector<double> alike(1000, 1.0);
  const auto same = [&](uint64_t seed, uint64_t first) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < 10'000; ++i)
      count += WeightedDrawsOf(alike, 1).At(i) == WeightedDrawsOf(alike, seed).At(first + i) ? 1U : 0U;
    return count;
  };
  CHECK(same(1, 0) == 10'000);
  CHECK(same(2, 0) < 40);  // 10 are expected
  CHECK(same(1, 1) < 40);
  CHECK(same(1, uint64_t{1} << 40) < 40);
}

TEST_CASE("draws computed in batches equal those computed one by one, from any position and with any step") {
  const WeightedDraws draws = WeightedDrawsOf({3, 1, 0, 7, 2, 2, 9}, 5);
  for (const size_t count : std::vector<size_t>{0, 1, 31, 32, 33, 100}) {
    for (const uint64_t first : {uint64_t{0}, uint64_t{77}, uint64_t{1} << 60}) {
      for (const uint64_t step : std::vector<uint64_t>{1, 2, 8}) {
        std::vector<uint64_t> batch(count);
        draws.Fill(first, step, batch);
        for (size_t i = 0; i < count; ++i) CHECK(batch[i] == draws.At(first + i * step));
      }
    }
  }
}

TEST_CASE("weighted draws never change") {
  std::vector<uint64_t> drawn(12);
  WeightedDrawsOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 42).Fill(0, 1, drawn);
  CHECK(drawn == std::vector<uint64_t>{7, 7, 3, 4, 5, 9, 8, 9, 9, 5, 5, 9});
}

}  // namespace
}  // namespace ofindex
