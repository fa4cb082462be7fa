#include "query/sampling/columns/column_weights.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

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

TEST_CASE("any numeric column gives weights, where NULL and NaN count as 0") {
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
  CHECK(WeightsOf({Ints({3}), Ints({4}), Ints({-5}), Strings({"x"})}, 2) == std::vector<double>{3, 4});
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
      {{Strings({"cat"}), Ints({1}), Ints({1}), Ints({1})}, message("0", "'cat'")},
      {{Ints({1}), Ints({1}), Ints({1}), Ints({1}), Strings({"a\nb"})}, message("4", "'a\\x0ab'")},
      {{Ints({1}), Ints({1}), Ints({1}), Strings({"4"})}, message("3", "'4'")},
  };
  for (const auto& c : cases) {
    const auto weights = WeightsOf(c.cells, c.cells.size());
    REQUIRE(!weights.has_value());
    CHECK(weights.error().code == ErrorCode::kUsage);
    CHECK(weights.error().message == c.message);
  }
}

TEST_CASE("weights from lists, or of records that the columns do not have, are an error") {
  const auto lists = WeightsOf({Ints({1, 2}), Ints({1}), Ints({1}), Ints({1})}, 4, true);
  REQUIRE(!lists.has_value());
  CHECK(lists.error().message == "column 'w' has lists; a weight needs one value per record");
  const auto beyond = WeightsOf({Ints({1}), Ints({1}), Ints({1}), Ints({1})}, 5);
  REQUIRE(!beyond.has_value());
  CHECK(beyond.error().code == ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace ofindex
