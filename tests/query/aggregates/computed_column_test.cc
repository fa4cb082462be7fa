#include "query/aggregates/computed_column.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/query/aggregates/steps.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

using Steps = std::vector<ComputedColumn::Step>;

// One column of integers, and one of reals; the records' own columns come first.
constexpr uint32_t kInteger = 4;
constexpr uint32_t kReal = 5;

std::unique_ptr<ColumnStore> StoreOfNumbers(const std::vector<int64_t>& integers, const std::vector<double>& reals) {
  std::vector<FeatureInMemory> features = {{"integer", {}}, {"real", {}}};
  for (const int64_t value : integers) features[0].cells.emplace_back(Ints({value}));
  for (const double value : reals) features[1].cells.emplace_back(Doubles({value}));
  const auto records = static_cast<uint32_t>(integers.size());
  ColumnsInMemory columns(std::move(features), {records}, {});
  return std::make_unique<ColumnStore>(std::make_unique<ColumnsInMemory>(std::move(columns)), ColumnStoreOptions{});
}

// `column` OP `constant`.
Steps WithConstant(uint32_t column, StepOp op, int64_t constant) {
  return {{.op = StepOp::kColumn, .column = column}, ConstantStep(constant), {.op = op, .a = 0, .b = 1}};
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
    StepOp op;
    int64_t constant;
    std::string result;
  };
  const std::vector<Row> rows = {
      {7, StepOp::kDivide, 2, "3"},
      {-7, StepOp::kDivide, 2, "-3"},
      {-7, StepOp::kRemainder, 2, "-1"},
      {7, StepOp::kDivide, 0, "NULL"},
      {7, StepOp::kRemainder, 0, "NULL"},
      {INT64_MAX, StepOp::kAdd, 1, "real 9223372036854775808.000000"},
      {INT64_MIN, StepOp::kSubtract, 1, "real -9223372036854775808.000000"},
      {INT64_MAX, StepOp::kMultiply, 2, "real 18446744073709551616.000000"},
      {INT64_MIN, StepOp::kDivide, -1, "real 9223372036854775808.000000"},
      {INT64_MIN, StepOp::kRemainder, -1, "0"},
      {INT64_MAX, StepOp::kSubtract, 1, "9223372036854775806"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.result);
    CHECK(First(*StoreOfNumbers({row.value}, {0}), WithConstant(kInteger, row.op, row.constant)) == row.result);
  }
}

TEST_CASE("reals are truncated and clamped where SQLite does so, and NaN is NULL") {
  const auto cast = [](double value) {
    return First(*StoreOfNumbers({0}, {value}),
                 {{.op = StepOp::kColumn, .column = kReal}, {.op = StepOp::kToInteger, .a = 0}});
  };
  CHECK(cast(2.9) == "2");
  CHECK(cast(-2.9) == "-2");
  CHECK(cast(1e300) == std::to_string(INT64_MAX));
  CHECK(cast(-INFINITY) == std::to_string(INT64_MIN));
  CHECK(cast(NAN) == "NULL");
  CHECK(First(*StoreOfNumbers({0}, {7.9}), WithConstant(kReal, StepOp::kRemainder, 4)) == "real 3.000000");
  CHECK(First(*StoreOfNumbers({0}, {7.9}), WithConstant(kReal, StepOp::kRemainder, 0)) == "NULL");
  const Steps difference = {{.op = StepOp::kColumn, .column = kReal}, {.op = StepOp::kSubtract, .a = 0, .b = 0}};
  CHECK(First(*StoreOfNumbers({0}, {INFINITY}), difference) == "NULL");
  CHECK(First(*StoreOfNumbers({0}, {2}), difference) == "real 0.000000");
}

TEST_CASE("blocks of any size are computed for all records") {
  for (const size_t records : {1U, 63U, 64U, 1023U, 1024U, 1025U, 5000U}) {
    std::vector<int64_t> integers;
    for (size_t r = 0; r < records; ++r) integers.push_back(static_cast<int64_t>(r) * 1000);
    const auto store = StoreOfNumbers(integers, std::vector<double>(records, 0.5));
    const auto chunk = ComputedColumn(WithConstant(kInteger, StepOp::kDivide, 10), "").Compute(*store, 0);
    REQUIRE(chunk.has_value());
    CHECK((*chunk)->records() == records);
    for (uint32_t r = 0; r < records; ++r) REQUIRE((*chunk)->At(r).integer == int64_t{r} * 100);
  }
}

TEST_CASE("results that may be reals are not called integral") {
  const auto is_integral = [](std::vector<int64_t> integers, const Steps& steps) {
    const auto store = StoreOfNumbers(integers, std::vector<double>(integers.size(), 0.5));
    const Result<bool> integral = ComputedColumn(steps, "").IsIntegral(*store);
    REQUIRE(integral.has_value());
    return *integral;
  };
  CHECK(is_integral({1, 5000}, WithConstant(kInteger, StepOp::kMultiply, 1000)));
  CHECK(is_integral({INT64_MAX}, WithConstant(kInteger, StepOp::kDivide, 2)));
  CHECK(is_integral({INT64_MAX}, WithConstant(kInteger, StepOp::kRemainder, -1)));
  CHECK(is_integral({-5, 5}, WithConstant(kInteger, StepOp::kSubtract, INT64_MAX - 5)));
  CHECK_FALSE(is_integral({1, INT64_MAX}, WithConstant(kInteger, StepOp::kAdd, 1)));
  CHECK_FALSE(is_integral({1, INT64_MAX / 2}, WithConstant(kInteger, StepOp::kMultiply, -3)));
  CHECK_FALSE(is_integral({INT64_MIN}, WithConstant(kInteger, StepOp::kDivide, -1)));
  Steps remainder = WithConstant(kInteger, StepOp::kRemainder, 100);  // from 0 to 3, and not from 100 to 103
  remainder.push_back(ConstantStep(INT64_MIN));
  remainder.push_back({.op = StepOp::kAdd, .a = 2, .b = 3});
  CHECK(is_integral({100, 103}, remainder));
  remainder.push_back(ConstantStep(-50));
  remainder.push_back({.op = StepOp::kAdd, .a = 4, .b = 5});
  CHECK_FALSE(is_integral({100, 103}, remainder));
  CHECK_FALSE(is_integral({1}, WithConstant(kReal, StepOp::kDivide, 2)));
  CHECK(is_integral({1}, {{.op = StepOp::kColumn, .column = kReal}, {.op = StepOp::kToInteger, .a = 0}}));
  CHECK_FALSE(is_integral({1}, {{.op = StepOp::kColumn, .column = kInteger}, {.op = StepOp::kToReal, .a = 0}}));
}

}  // namespace
}  // namespace ofindex
