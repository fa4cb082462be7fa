#include "query/aggregates/sum_state.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "query/tables/groups/armed_group.h"
#include "tests/query/plain_table.h"

namespace ofindex {
namespace {

std::string RealText(double real) { return "R" + std::to_string(std::bit_cast<uint64_t>(real)) + "|"; }

// The row that SQLite gives for sum(x), total(x), avg(x).
std::string RowOf(const SumState& state, SumRule rule) {
  const std::string sum = state.count == 0    ? "N|"
                          : state.approximate ? RealText(state.total(rule))
                                              : "I" + std::to_string(state.integer) + "|";
  const std::string average = state.count == 0 ? "N|" : RealText(state.total(rule) / static_cast<double>(state.count));
  return sum + RealText(state.total(rule)) + average;
}

TEST_CASE("integers and reals add up as in SQLite, to the last bit") {
  const SumRule rule = SumRuleOfSqlite();
  const Connection sqlite;
  REQUIRE(sqlite.Rows("CREATE TABLE t(x)").empty());
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    REQUIRE(sqlite.Rows("DELETE FROM t").empty());
    SumState state;
    for (size_t n = random() % 30; n > 0; --n) {
      ColumnValue value{.type = ColumnValue::Type::kInteger,
                        .integer = static_cast<int64_t>(random() >> 5) - (1L << 57)};
      if (random() % (round % 2 == 0 ? 1000 : 3) == 0) {
        value = {.type = ColumnValue::Type::kReal,
                 .real = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 90) - 99)};
      }
      REQUIRE(sqlite.Rows("INSERT INTO t VALUES (?)", {value}).empty());
      if (value.type == ColumnValue::Type::kInteger) state.Add(rule, value.integer);
      if (value.type == ColumnValue::Type::kReal) state.Add(rule, value.real);
    }
    CHECK(sqlite.Rows("SELECT sum(x), total(x), avg(x) FROM t") == std::vector<std::string>{RowOf(state, rule)});
  }
}

TEST_CASE("a sum of integers that overflows is marked, under both rules") {
  for (const SumRule rule : {SumRule::kPlain, SumRule::kCompensated}) {
    SumState state;
    state.Add(rule, INT64_MAX);
    CHECK_FALSE(state.overflow);
    state.Add(rule, int64_t{1});
    CHECK(state.overflow);
    state.Add(rule, int64_t{-1});
    CHECK(state.overflow);
    CHECK(state.total(rule) == 0x1p63);
  }
}

TEST_CASE("the compensated sum keeps what the plain sum rounds away") {
  for (const auto& [rule, sum] : {std::pair{SumRule::kPlain, 0.0}, std::pair{SumRule::kCompensated, 2.0}}) {
    SumState state;
    for (const double value : {1.0, 1e100, 1.0, -1e100}) state.Add(rule, value);
    CHECK(state.total(rule) == sum);
  }
}

TEST_CASE("integers added at once equal integers added one by one") {
  for (const SumRule rule : {SumRule::kPlain, SumRule::kCompensated}) {
    SumState one_by_one;
    for (int64_t i = -5; i < 100; ++i) one_by_one.Add(rule, i * 1'000'000);
    SumState at_once;
    at_once.AddExact(100, one_by_one.integer - 7);
    at_once.AddExact(5, 7);
    CHECK(RowOf(at_once, rule) == RowOf(one_by_one, rule));
  }
}

}  // namespace
}  // namespace ofindex
