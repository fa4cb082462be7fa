#include "query/aggregates/integer_steps.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "tests/query/aggregates/steps.h"

namespace ofindex {
namespace {

// Integers of up to `bits` bits, some close to powers of 2, and NULLs.
std::shared_ptr<const Chunk> SomeChunk(std::mt19937_64& random, uint32_t records, unsigned bits) {
  std::vector<int64_t> values;
  std::vector<uint64_t> present(records / 64 + 1);
  for (uint32_t r = 0; r < records; ++r) {
    const uint64_t limit = uint64_t{1} << (random() % bits);
    const auto value = static_cast<int64_t>(random() % 3 == 0 ? limit - random() % 3 : random() % limit);
    values.push_back(random() % 2 == 0 ? value : -value);
    present[r / 64] |= uint64_t{random() % 8 != 0} << (r % 64);
  }
  return std::make_shared<const Chunk>(Chunk::OfIntegers(values, std::move(present)));
}

// Two columns and up to six steps; each step uses the one before.
std::vector<ComputedStep> SomeSteps(std::mt19937_64& random) {
  std::vector<ComputedStep> steps = {{.op = StepOp::kColumn}, {.op = StepOp::kColumn}};
  for (size_t n = random() % 3 + 1; n > 0; --n) {
    const auto sign = static_cast<int64_t>(random() % 3) - 1;
    const auto size = static_cast<int64_t>(random() >> (random() % 64) >> 1);
    const auto near_limit = std::numeric_limits<int64_t>::max() - static_cast<int64_t>(random() % 9);
    steps.push_back(ConstantStep(random() % 6 == 0 ? (sign < 0 ? -near_limit - 1 : near_limit) : sign * size));
    const std::vector<StepOp> ops = {StepOp::kAdd,    StepOp::kSubtract,  StepOp::kMultiply,
                                     StepOp::kDivide, StepOp::kRemainder, StepOp::kToInteger};
    const size_t other = random() % 3 == 0 ? random() % steps.size() : steps.size() - 1;
    steps.push_back({.op = ops[random() % ops.size()], .a = steps.size() == 3 ? 0 : steps.size() - 2, .b = other});
  }
  return steps;
}

TEST_CASE("integers computed without checks are those computed by SQLite's rules") {
  constexpr uint32_t kRecords = 200;
  std::mt19937_64 random(1);
  int computed = 0;
  for (int round = 0; round < 20'000; ++round) {
    const unsigned bits = static_cast<unsigned>(random() % 62) + 1;
    const ComputedInputs columns = {SomeChunk(random, kRecords, bits), SomeChunk(random, kRecords, bits)};
    const std::vector<ComputedStep> steps = SomeSteps(random);
    ComputedInputs inputs = columns;
    inputs.resize(steps.size());
    const std::optional<Chunk> chunk = ComputeIntegers(steps, inputs, kRecords);
    if (!chunk) continue;
    ++computed;
    std::vector<ComputedNumber> results(steps.size() * kComputedStrip);
    ComputeStrip(steps, inputs, 0, kRecords, results);
    const ComputedNumber* const last = &results[(steps.size() - 1) * kComputedStrip];
    for (uint32_t r = 0; r < kRecords; ++r) {
      // Inputs that the result does not need may be NULL alone.
      const Chunk::Value value = chunk->At(r);
      if (columns[0]->At(r).type == ColumnValue::Type::kNull || columns[1]->At(r).type == ColumnValue::Type::kNull) {
        REQUIRE(value.type == ColumnValue::Type::kNull);
        continue;
      }
      REQUIRE(value.type == last[r].type);
      REQUIRE(value.integer == last[r].integer);
    }
  }
  CHECK(computed > 5000);
}

TEST_CASE("steps that need SQLite's checks are refused") {
  std::mt19937_64 random(2);
  const auto small = SomeChunk(random, 100, 20);
  const auto accepts = [&](const std::shared_ptr<const Chunk>& chunk, StepOp op, int64_t constant) {
    const std::vector<ComputedStep> steps = {
        {.op = StepOp::kColumn}, ConstantStep(constant), {.op = op, .a = 0, .b = 1}};
    return ComputeIntegers(steps, {chunk, nullptr, nullptr}, 100).has_value();
  };
  CHECK(accepts(small, StepOp::kDivide, 7));
  CHECK(accepts(small, StepOp::kMultiply, 1 << 20));
  CHECK(accepts(small, StepOp::kDivide, std::numeric_limits<int64_t>::min()));
  CHECK_FALSE(accepts(small, StepOp::kDivide, 0));
  CHECK_FALSE(accepts(small, StepOp::kRemainder, -1));
  CHECK_FALSE(accepts(small, StepOp::kMultiply, int64_t{1} << 50));  // may overflow
  CHECK_FALSE(accepts(small, StepOp::kToReal, 0));
  const auto large = std::make_shared<const Chunk>(Chunk::OfIntegers(
      std::vector<int64_t>(100, std::numeric_limits<int64_t>::max()), {~uint64_t{0}, ~uint64_t{0} >> 28}));
  CHECK_FALSE(accepts(large, StepOp::kAdd, 0));  // the width of its offsets does not show that nothing is greater
  const auto reals =
      std::make_shared<const Chunk>(Chunk::OfReals(std::vector<double>(100, 1), {~uint64_t{0}, ~uint64_t{0} >> 28}));
  CHECK_FALSE(accepts(reals, StepOp::kAdd, 1));
}

}  // namespace
}  // namespace ofindex
