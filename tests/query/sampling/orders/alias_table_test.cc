#include "query/sampling/orders/alias_table.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ofindex {
namespace {

using Wide = unsigned __int128;

constexpr uint64_t kColumn = uint64_t{1} << 32;

// Returns the units of each item in all columns together.
std::vector<Wide> UnitsOf(const AliasTable& table) {
  std::vector<Wide> units(table.size());
  for (uint32_t column = 0; column < table.size(); ++column) {
    units[column] += table.threshold(column);
    units[table.alias(column)] += kColumn - table.threshold(column);
  }
  return units;
}

AliasTable Table(const std::vector<double>& weights) {
  auto table = AliasTable::Of(weights);
  REQUIRE_MESSAGE(table.has_value(), table.error().message);
  return std::move(*table);
}

struct Case {
  std::string what;
  std::vector<double> weights;
};

std::vector<double> Made(size_t count, double (*weight)(size_t)) {
  std::vector<double> weights;
  for (size_t i = 0; i < count; ++i) weights.push_back(weight(i));
  return weights;
}

const std::vector<Case> kCases = {
    {"one item", {7}},
    {"two alike", {1, 1}},
    {"none of the first", {0, 1}},
    {"none of the last", {3, 0}},
    {"thirds", {1, 1, 1}},
    {"one to three", {1, 3}},
    {"a large weight among small ones", {0.001, 1000, 0.001, 0, 0.002}},
    {"the largest numbers", {1e308, 1.5e308, 1e308}},
    {"the smallest numbers", {5e-324, 1e-323, 0}},
    {"0, -0 and a number", {0.0, -0.0, 2.5}},
    {"ascending", Made(1000, [](size_t i) { return static_cast<double>(i); })},
    {"descending", Made(1000, [](size_t i) { return static_cast<double>(1000 - i); })},
    {"powers of two", Made(64, [](size_t i) { return std::ldexp(1.0, static_cast<int>(i)); })},
    {"every seventh", Made(700, [](size_t i) { return i % 7 == 0 ? 1.25 : 0; })},
    {"all alike, and many", Made(65'537, [](size_t) { return 0.1; })},
    {"of all sizes",
     Made(20'000,
          [](size_t i) { return std::ldexp(1.0 + static_cast<double>(i * i % 997), static_cast<int>(i * 7 % 40)); })},
};

TEST_CASE("every item has its share of the units, within two units, and the units sum to the total") {
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const AliasTable table = Table(c.weights);
    const std::vector<Wide> units = UnitsOf(table);
    const auto count = static_cast<long double>(c.weights.size());
    long double total = 0;
    for (const double weight : c.weights) total += static_cast<long double>(weight);
    Wide sum = 0;
    long double max_off = 0;
    for (size_t i = 0; i < units.size(); ++i) {
      const long double due = static_cast<long double>(c.weights[i]) / total * count * 4294967296.0L;
      max_off = std::max(max_off, std::abs(static_cast<long double>(units[i]) - due));
      if (c.weights[i] == 0) CHECK(units[i] == 0);
      sum += units[i];
    }
    CHECK(static_cast<double>(max_off) < 2);
    CHECK(sum == Wide{kColumn} * units.size());
  }
}

TEST_CASE("an item of weight 0 is never drawn") {
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const AliasTable table = Table(c.weights);
    for (uint32_t column = 0; column < table.size(); ++column) {
      for (const uint64_t coin : {uint64_t{0}, uint64_t{1} << 32, ~uint64_t{0}}) {
        CHECK(c.weights[table.Settle(column, coin)] > 0);
      }
    }
  }
}

TEST_CASE("the first and the last bits draw from the first and the last column") {
  const AliasTable table = Table({1, 1, 1, 1});
  CHECK(table.Draw(0, 0) == 0);
  CHECK(table.Draw(~uint64_t{0}, ~uint64_t{0}) == 3);
  CHECK(table.ColumnOf(uint64_t{1} << 62) == 1);
}

TEST_CASE("a table never changes") {
  const AliasTable table = Table({1, 2, 3, 4, 0});
  const std::vector<uint32_t> thresholds = {2147483648, 2147483648, 0, 0, 0};
  const std::vector<uint32_t> aliases = {1, 2, 3, 3, 2};
  for (uint32_t column = 0; column < 5; ++column) {
    CAPTURE(column);
    CHECK(table.threshold(column) == thresholds[column]);
    CHECK(table.alias(column) == aliases[column]);
  }
}

TEST_CASE("invalid weights are errors that name the weight") {
  const double infinity = std::numeric_limits<double>::infinity();
  const struct {
    std::vector<double> weights;
    std::string message;
  } cases[] = {
      {{}, "no weight of 0 records is above 0; expected one"},
      {{0, 0, 0}, "no weight of 3 records is above 0; expected one"},
      {{1, -1}, "weight 1: expected a number of 0 or more"},
      {{1, 2, infinity}, "weight 2: expected a number of 0 or more"},
      {{std::nan(""), 2}, "weight 0: expected a number of 0 or more"},
  };
  for (const auto& c : cases) {
    const auto table = AliasTable::Of(c.weights);
    REQUIRE(!table.has_value());
    CHECK(table.error().code == ErrorCode::kUsage);
    CHECK(table.error().message == c.message);
  }
}

}  // namespace
}  // namespace ofindex
