#include "query/sampling/orders/weighted_draws.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "query/sampling/columns/column_weights.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/sampling/chi_square.h"

namespace ofindex {
namespace {

WeightedDraws Draws(const std::vector<double>& weights, uint64_t seed) {
  auto table = AliasTable::Of(weights);
  REQUIRE(table.has_value());
  return {std::make_shared<const AliasTable>(std::move(*table)), SampleKey(seed, 0, SampleUse::kDraws)};
}

std::vector<uint64_t> CountsOf(const WeightedDraws& draws, uint64_t first, size_t count) {
  std::vector<uint64_t> drawn(count);
  draws.Fill(first, 1, drawn);
  std::vector<uint64_t> counts(draws.size());
  for (const uint64_t item : drawn) ++counts[item];
  return counts;
}

const Counts kAll = [](uint64_t) { return true; };

// Returns the result of ForEachWeight for a column `w` of such cells, in blocks of 3 and the rest.
Result<std::vector<double>> WeightsOf(std::vector<std::optional<Cell>> cells, uint64_t records, bool whole = false) {
  const auto rest = static_cast<uint32_t>(cells.size() - 3);
  ColumnChoice choice;
  if (whole) choice = {.mode = ColumnChoice::Mode::kNamed, .names = {"w"}};
  ColumnStore store(std::make_unique<ColumnsInMemory>(std::vector{FeatureInMemory{"w", std::move(cells)}},
                                                      std::vector<uint32_t>{3, rest}, choice),
                    ColumnStoreOptions{});
  const Column* column = nullptr;
  for (const Column& one : store.columns()) column = one.name == "w" ? &one : column;
  REQUIRE(column != nullptr);
  std::vector<double> all;
  const auto visited =
      ForEachWeight(store, *column, records, kAll, [&](uint64_t first, std::span<const double> weights) {
        CHECK(first == all.size());
        all.insert(all.end(), weights.begin(), weights.end());
      });
  OFINDEX_TRY(visited);
  return all;
}

TEST_CASE("items are drawn in proportion to their weights") {
  const std::vector<std::vector<double>> cases = {
      {1, 1}, {1, 2, 3, 4, 0, 10}, {0.5, 0, 1e-3, 1}, std::vector<double>(1000, 3.0), {1, 100, 10'000},
  };
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (const std::vector<double>& weights : cases) {
      CAPTURE(weights.size());
      CHECK(ChiSquareDeviations(CountsOf(Draws(weights, seed), 0, 1'000'000), weights) < 4.5);
    }
  }
}

TEST_CASE("two consecutive draws are independent") {
  const std::vector<double> weights = {1, 2, 3, 4};
  const WeightedDraws draws = Draws(weights, 1);
  std::vector<uint64_t> pairs(16);
  std::vector<double> expected(16);
  for (size_t i = 0; i < 16; ++i) expected[i] = weights[i / 4] * weights[i % 4];
  for (uint64_t i = 0; i < 1'000'000; i += 2) ++pairs[draws.At(i) * 4 + draws.At(i + 1)];
  CHECK(ChiSquareDeviations(pairs, expected) < 4.5);
}

TEST_CASE("draws of another key and of later positions differ") {
  const std::vector<double> alike(1000, 1.0);
  const auto same = [&](uint64_t seed, uint64_t first) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < 10'000; ++i) count += Draws(alike, 1).At(i) == Draws(alike, seed).At(first + i) ? 1U : 0U;
    return count;
  };
  CHECK(same(1, 0) == 10'000);
  CHECK(same(2, 0) < 40);  // 10 are expected
  CHECK(same(1, 1) < 40);
  CHECK(same(1, uint64_t{1} << 40) < 40);
}

TEST_CASE("draws computed in batches equal those computed one by one, from any position and by any step") {
  const WeightedDraws draws = Draws({3, 1, 0, 7, 2, 2, 9}, 5);
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
  Draws({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 42).Fill(0, 1, drawn);
  CHECK(drawn == std::vector<uint64_t>{7, 7, 3, 4, 5, 9, 8, 9, 9, 5, 5, 9});
}

TEST_CASE("any numeric column gives weights, with NULL and NaN as 0") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(WeightsOf({Ints({3}), std::nullopt, Ints({0}), Ints({70'000}), Ints({1})}, 5) ==
        std::vector<double>{3, 0, 0, 70'000, 1});
  CHECK(WeightsOf({Doubles({0.5}), Doubles({nan}), Doubles({-0.0}), std::nullopt, Doubles({1e300})}, 5) ==
        std::vector<double>{0.5, 0, 0, 0, 1e300});
  CHECK(WeightsOf({Floats({0.25}), Ints({2}), Doubles({1.5}), Floats({nan}), Floats({8})}, 5) ==
        std::vector<double>{0.25, 2, 1.5, 0, 8});
  CHECK(WeightsOf({std::nullopt, std::nullopt, std::nullopt, Ints({1})}, 4) == std::vector<double>{0, 0, 0, 1});
}

TEST_CASE("records after the requested ones are not read") {
  CHECK(WeightsOf({Ints({3}), Ints({4}), Ints({5}), Ints({6}), Ints({-1})}, 4) == std::vector<double>{3, 4, 5, 6});
  CHECK(WeightsOf({Ints({3}), Ints({4}), Ints({-5}), Texts({"x"})}, 2) == std::vector<double>{3, 4});
  CHECK(WeightsOf({Ints({3}), Ints({4}), Ints({5}), Ints({6})}, 0) == std::vector<double>{});
}

TEST_CASE("an invalid weight is an error that names record and value") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto message = [](const std::string& record, const std::string& value) {
    return "the weight of record " + record + " in column 'w' is " + value + "; expected a number of 0 or more";
  };
  const struct {
    std::vector<std::optional<Cell>> cells;
    std::string message;
  } cases[] = {
      {{Ints({1}), Ints({2}), Ints({3}), Ints({1}), Ints({-4})}, message("4", "-4")},
      {{Doubles({1}), Doubles({-0.5}), Doubles({1}), Doubles({1})}, message("1", "-0.5")},
      {{Floats({1}), Floats({1}), Floats({infinity}), Floats({1})}, message("2", "inf")},
      {{Texts({"cat"}), Ints({1}), Ints({1}), Ints({1})}, message("0", "'cat'")},
      {{Ints({1}), Ints({1}), Ints({1}), Ints({1}), Texts({"a\nb"})}, message("4", "'a\\x0ab'")},
      {{Ints({1}), Ints({1}), Ints({1}), Texts({"4"})}, message("3", "'4'")},
  };
  for (const auto& c : cases) {
    const auto weights = WeightsOf(c.cells, c.cells.size());
    REQUIRE(!weights.has_value());
    CHECK(weights.error().code == ErrorCode::kUsage);
    CHECK(weights.error().message == c.message);
  }
}

TEST_CASE("lists and missing records have no weights") {
  const auto lists = WeightsOf({Ints({1, 2}), Ints({1}), Ints({1}), Ints({1})}, 4, true);
  REQUIRE(!lists.has_value());
  CHECK(lists.error().message == "column 'w' has lists; a weight needs one value per record");
  const auto beyond = WeightsOf({Ints({1}), Ints({1}), Ints({1}), Ints({1})}, 5);
  REQUIRE(!beyond.has_value());
  CHECK(beyond.error().code == ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace ofindex
