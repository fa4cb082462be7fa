#include "query/sql/statements/expression_program.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/query/aggregates/steps.h"

namespace ofindex {
namespace {

using Number = ComputedColumn::Number;
using Program = std::vector<Instruction>;

Number RealNumber(double value) {
  Number number;
  number.type = ColumnValue::Type::kReal;
  number.real = value;
  return number;
}

// The program of `SELECT height / 100 * ?1 FROM records`, with other instructions for the loop and the constants.
Program ProgramOf(Program loop, const Program& constants, int64_t result = 1) {
  Program program = {{"Init", 0, 9}, {"VOpen"}, {"VFilter", 0, 7}};
  program.insert(program.end(), loop.begin(), loop.end());
  program.insert(program.end(), {{"ResultRow", result, 1}, {"VNext", 0, 3}, {"Halt"}});
  program.insert(program.end(), constants.begin(), constants.end());
  program.push_back({"Goto", 0, 1});
  return program;
}

const Program kLoop = {{"VColumn", 0, 5, 3}, {"Divide", 4, 3, 2}, {"Multiply", 6, 2, 1}};
const Program kConstants = {{"Integer", 100, 4}, {"Variable", 1, 6}};

TEST_CASE("the steps of an expression are those of its program") {
  const std::vector<Number> parameters = {RealNumber(0.5)};
  const auto steps = ReadExpression(ProgramOf(kLoop, kConstants), parameters);
  REQUIRE(steps.has_value());
  std::vector<StepOp> ops;
  for (const ComputedColumn::Step& step : *steps) ops.push_back(step.op);
  CHECK(ops ==
        std::vector<StepOp>{StepOp::kConstant, StepOp::kConstant, StepOp::kColumn, StepOp::kDivide, StepOp::kMultiply});
  CHECK((*steps)[0].constant.integer == 100);
  CHECK((*steps)[1].constant.real == 0.5);
  CHECK((*steps)[2].column == 5);
  CHECK((*steps)[3].a == 2);  // SQLite divides P2 by P1
  CHECK((*steps)[3].b == 0);
  CHECK((*steps)[4].a == 3);
  CHECK((*steps)[4].b == 1);
}

TEST_CASE("a cast replaces its register, and large integers are text") {
  const auto steps = ReadExpression(ProgramOf({{"VColumn", 0, 2, 3}, {"Cast", 3, 'D'}, {"Add", 4, 3, 1}},
                                              {{"Int64", 0, 4, 0, "-9223372036854775808"}}),
                                    {});
  REQUIRE(steps.has_value());
  CHECK(steps->size() == 4);
  CHECK((*steps)[0].constant.integer == INT64_MIN);
  CHECK((*steps)[2].op == StepOp::kToInteger);
  CHECK((*steps)[3].a == 2);
}

TEST_CASE("constants are computed, too") {
  // SQLite puts a cast of a constant after Halt.
  const auto steps = ReadExpression(ProgramOf(kLoop, {{"Integer", 100, 4}, {"Integer", 2, 6}, {"Cast", 6, 'E'}}), {});
  REQUIRE(steps.has_value());
  CHECK((*steps)[2].op == StepOp::kToReal);
  CHECK((*steps)[2].a == 1);
  CHECK(steps->back().b == 2);
}

TEST_CASE("programs with anything else have no steps") {
  const std::vector<Number> parameters = {RealNumber(0.5)};
  const auto reads = [&](const Program& program) { return ReadExpression(program, parameters).has_value(); };
  CHECK(reads(ProgramOf(kLoop, kConstants)));
  struct Row {
    std::string what;
    Program program;
  };
  Program without_end = ProgramOf(kLoop, kConstants);
  without_end.erase(without_end.begin() + 6);
  const std::vector<Row> rows = {
      {"nothing", {}},
      {"no result", without_end},
      {"two results", ProgramOf({{"ResultRow", 1, 2}}, {})},
      {"an unknown instruction", ProgramOf({{"VColumn", 0, 5, 3}, {"Function", 0, 3, 1, "abs(1)"}}, {})},
      {"an affinity", ProgramOf({{"VColumn", 0, 5, 1}, {"RealAffinity", 1}}, {})},
      {"a cast to text", ProgramOf({{"VColumn", 0, 5, 1}, {"Cast", 1, 'B'}}, {})},
      {"an unset register", ProgramOf({{"VColumn", 0, 5, 3}, {"Add", 8, 3, 1}}, {})},
      {"a result that is not the last step", ProgramOf(kLoop, kConstants, 2)},
      {"a parameter without a value", ProgramOf(kLoop, {{"Integer", 100, 4}, {"Variable", 2, 6}})},
      {"a real, which programs show rounded", ProgramOf(kLoop, {{"Integer", 100, 4}, {"Real", 0, 6, 0, "0.1"}})},
      {"a number that is none", ProgramOf(kLoop, {{"Integer", 100, 4}, {"Int64", 0, 6, 0, "12x"}})},
      {"an unknown constant", ProgramOf(kLoop, {{"Integer", 100, 4}, {"Integer", 2, 6}, {"Cast", 6, 'B'}})},
      {"a jump", ProgramOf({{"VColumn", 0, 5, 1}, {"IsNull", 1, 9}}, {})},
  };
  for (const Row& row : rows) CHECK_MESSAGE(!reads(row.program), row.what);
}

}  // namespace
}  // namespace ofindex
