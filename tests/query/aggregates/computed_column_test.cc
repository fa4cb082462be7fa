#include "query/aggregates/computed_column.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

using Number = ComputedColumn::Number;
using Op = ComputedColumn::Step::Op;
using Steps = std::vector<ComputedColumn::Step>;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// One column of integers, and one of reals; the records' own columns come first.
constexpr uint32_t kInteger = 4;
constexpr uint32_t kReal = 5;

std::unique_ptr<ColumnStore> StoreOf(const std::vector<int64_t>& integers, const std::vector<double>& reals) {
  std::vector<FeatureInMemory> features = {{"integer", {}}, {"real", {}}};
  for (const int64_t value : integers) features[0].cells.emplace_back(Ints({value}));
  for (const double value : reals) features[1].cells.emplace_back(Doubles({value}));
  const auto records = static_cast<uint32_t>(integers.size());
  ColumnsInMemory columns(std::move(features), {records}, {});
  return std::make_unique<ColumnStore>(std::make_unique<ColumnsInMemory>(std::move(columns)), ColumnStoreOptions{});
}

ComputedColumn::Step Constant(int64_t value) {
  ComputedColumn::Step step{.op = Op::kConstant};
  step.constant.type = ColumnValue::Type::kInteger;
  step.constant.integer = value;
  return step;
}

// `column` OP `constant`.
Steps With(uint32_t column, Op op, int64_t constant) {
  return {{.op = Op::kColumn, .column = column}, Constant(constant), {.op = op, .a = 0, .b = 1}};
}

// Returns the result for the first record, with its type: "5", "5.5", "NULL".
std::string First(ColumnStore& store, const Steps& steps) {
  const auto chunk = ComputedColumn(steps, "").Compute(store, 0);
  REQUIRE(chunk.has_value());
  const Chunk::Value value = (*chunk)->At(0);
  if (value.type == ColumnValue::Type::kInteger) return std::to_string(value.integer);
  return value.type == ColumnValue::Type::kReal ? "real " + std::to_string(value.real) : "NULL";
}

TEST_CASE("integers that overflow are computed as reals, and division by zero is NULL") {
  struct Row {
    int64_t value;
    Op op;
    int64_t constant;
    std::string result;
  };
  const std::vector<Row> rows = {
      {7, Op::kDivide, 2, "3"},
      {-7, Op::kDivide, 2, "-3"},
      {-7, Op::kRemainder, 2, "-1"},
      {7, Op::kDivide, 0, "NULL"},
      {7, Op::kRemainder, 0, "NULL"},
      {kMax, Op::kAdd, 1, "real 9223372036854775808.000000"},
      {kMin, Op::kSubtract, 1, "real -9223372036854775808.000000"},
      {kMax, Op::kMultiply, 2, "real 18446744073709551616.000000"},
      {kMin, Op::kDivide, -1, "real 9223372036854775808.000000"},
      {kMin, Op::kRemainder, -1, "0"},
      {kMax, Op::kSubtract, 1, "9223372036854775806"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.result);
    CHECK(First(*StoreOf({row.value}, {0}), With(kInteger, row.op, row.constant)) == row.result);
  }
}

TEST_CASE("reals are truncated and clamped where SQLite does so, and NaN is NULL") {
  const auto cast = [](double value) {
    return First(*StoreOf({0}, {value}), {{.op = Op::kColumn, .column = kReal}, {.op = Op::kToInteger, .a = 0}});
  };
  CHECK(cast(2.9) == "2");
  CHECK(cast(-2.9) == "-2");
  CHECK(cast(1e300) == std::to_string(kMax));
  CHECK(cast(-INFINITY) == std::to_string(kMin));
  CHECK(cast(NAN) == "NULL");
  CHECK(First(*StoreOf({0}, {7.9}), With(kReal, Op::kRemainder, 4)) == "real 3.000000");
  CHECK(First(*StoreOf({0}, {7.9}), With(kReal, Op::kRemainder, 0)) == "NULL");
  const Steps difference = {{.op = Op::kColumn, .column = kReal}, {.op = Op::kSubtract, .a = 0, .b = 0}};
  CHECK(First(*StoreOf({0}, {INFINITY}), difference) == "NULL");
  CHECK(First(*StoreOf({0}, {2}), difference) == "real 0.000000");
}

TEST_CASE("blocks of any size are computed for all records") {
  for (const size_t records : {1U, 63U, 64U, 1023U, 1024U, 1025U, 5000U}) {
    std::vector<int64_t> integers;
    for (size_t r = 0; r < records; ++r) integers.push_back(static_cast<int64_t>(r) * 1000);
    const auto store = StoreOf(integers, std::vector<double>(records, 0.5));
    const auto chunk = ComputedColumn(With(kInteger, Op::kDivide, 10), "").Compute(*store, 0);
    REQUIRE(chunk.has_value());
    CHECK((*chunk)->records() == records);
    for (uint32_t r = 0; r < records; ++r) REQUIRE((*chunk)->At(r).integer == int64_t{r} * 100);
  }
}

TEST_CASE("results that may be reals are not called integral") {
  const auto is_integral = [](std::vector<int64_t> integers, const Steps& steps) {
    const auto store = StoreOf(integers, std::vector<double>(integers.size(), 0.5));
    const Result<bool> integral = ComputedColumn(steps, "").IsIntegral(*store);
    REQUIRE(integral.has_value());
    return *integral;
  };
  CHECK(is_integral({1, 5000}, With(kInteger, Op::kMultiply, 1000)));
  CHECK(is_integral({kMax}, With(kInteger, Op::kDivide, 2)));
  CHECK(is_integral({kMax}, With(kInteger, Op::kRemainder, -1)));
  CHECK(is_integral({-5, 5}, With(kInteger, Op::kSubtract, kMax - 5)));
  CHECK_FALSE(is_integral({1, kMax}, With(kInteger, Op::kAdd, 1)));
  CHECK_FALSE(is_integral({1, kMax / 2}, With(kInteger, Op::kMultiply, -3)));
  CHECK_FALSE(is_integral({kMin}, With(kInteger, Op::kDivide, -1)));
  Steps remainder = With(kInteger, Op::kRemainder, 100);  // from 0 to 3, and not from 100 to 103
  remainder.push_back(Constant(kMin));
  remainder.push_back({.op = Op::kAdd, .a = 2, .b = 3});
  CHECK(is_integral({100, 103}, remainder));
  remainder.push_back(Constant(-50));
  remainder.push_back({.op = Op::kAdd, .a = 4, .b = 5});
  CHECK_FALSE(is_integral({100, 103}, remainder));
  CHECK_FALSE(is_integral({1}, With(kReal, Op::kDivide, 2)));
  CHECK(is_integral({1}, {{.op = Op::kColumn, .column = kReal}, {.op = Op::kToInteger, .a = 0}}));
  CHECK_FALSE(is_integral({1}, {{.op = Op::kColumn, .column = kInteger}, {.op = Op::kToReal, .a = 0}}));
}

}  // namespace
}  // namespace ofindex
