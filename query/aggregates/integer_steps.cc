#include "query/aggregates/integer_steps.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

using StepOp = ComputedStep::Op;
using Type = ColumnValue::Type;

// Up to here, a quotient of doubles that is truncated is that of the integers: it differs from an integer by more than
// doubles round.
constexpr int64_t kMaxDouble = int64_t{1} << 52;

bool FitsDouble(const IntegerRange& range) { return range.least >= -kMaxDouble && range.greatest <= kMaxDouble; }

// Returns the values that a chunk of integers can hold, by the width of its offsets.
std::optional<IntegerRange> RangeOf(const Chunk& chunk) {
  if (chunk.form() != Chunk::Form::kIntegers) return std::nullopt;
  const IntegerRange range = std::visit(
      [&](const auto& offsets) -> IntegerRange {
        using Offset = typename std::decay_t<decltype(offsets)>::value_type;
        const __int128 base = chunk.integers().base;
        return {base, base + std::numeric_limits<Offset>::max()};
      },
      chunk.integers().offsets);
  return range.fits() ? std::optional<IntegerRange>(range) : std::nullopt;
}

// Returns whether a step divides by a constant that is neither 0 nor -1.
bool DividesSafely(const ComputedStep& step, const IntegerRange& divisor) {
  if (step.op != StepOp::kDivide && step.op != StepOp::kRemainder) return true;
  return divisor.least == divisor.greatest && divisor.least != 0 && divisor.least != -1;
}

/// Steps whose results are all known to be integers that fit.
class IntegerSteps {
 public:
  // Returns false if a step has another result.
  [[nodiscard]] bool Plan(std::span<const ComputedStep> steps, const ComputedInputs& inputs) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const ComputedStep& step = steps[i];
      ranges_.push_back(step.op == StepOp::kColumn ? RangeOf(*inputs[i]) : RangeOf(step, ranges_));
      const bool computes = step.op != StepOp::kColumn && step.op != StepOp::kConstant && step.op != StepOp::kToInteger;
      if (!ranges_.back() || (computes && !DividesSafely(step, *ranges_[step.b]))) return false;
    }
    return true;
  }

  // Computes the records [first, first + count). `results` has kComputedStrip integers for each step.
  void Compute(std::span<const ComputedStep> steps, const ComputedInputs& inputs, uint32_t first, uint32_t count,
               std::span<int64_t> results) const {
    for (size_t i = 0; i < steps.size(); ++i) {
      const ComputedStep& step = steps[i];
      int64_t* const out = &results[i * kComputedStrip];
      const int64_t* const a = &results[step.a * kComputedStrip];
      const int64_t* const b = &results[step.b * kComputedStrip];
      const auto each = [&](auto result) {
        for (uint32_t r = 0; r < count; ++r) out[r] = static_cast<int64_t>(result(r));
      };
      switch (step.op) {
        case StepOp::kColumn: Read(*inputs[i], first, each); break;
        case StepOp::kConstant: std::fill_n(out, count, step.constant.integer); break;
        // The values of NULL records lie in the ranges, too.
        case StepOp::kAdd: each([&](uint32_t r) { return Wrapped(a[r]) + Wrapped(b[r]); }); break;
        case StepOp::kSubtract: each([&](uint32_t r) { return Wrapped(a[r]) - Wrapped(b[r]); }); break;
        case StepOp::kMultiply: each([&](uint32_t r) { return Wrapped(a[r]) * Wrapped(b[r]); }); break;
        case StepOp::kDivide: Divide(*ranges_[step.a], a, b[0], each); break;
        case StepOp::kRemainder: each([&, divisor = b[0]](uint32_t r) { return a[r] % divisor; }); break;
        default: std::copy_n(a, count, out); break;
      }
    }
  }

 private:
  static uint64_t Wrapped(int64_t value) { return static_cast<uint64_t>(value); }

  template <typename Each>
  static void Read(const Chunk& chunk, uint32_t first, Each each) {
    const auto base = static_cast<uint64_t>(chunk.integers().base);
    std::visit([&](const auto& offsets) { each([&](uint32_t r) { return base + offsets[first + r]; }); },
               chunk.integers().offsets);
  }

  // Processors divide doubles several times as fast as integers.
  template <typename Each>
  static void Divide(const IntegerRange& range, const int64_t* a, int64_t divisor, Each each) {
    if (FitsDouble(range) && FitsDouble({divisor, divisor})) {
      const auto real = static_cast<double>(divisor);
      each([&](uint32_t r) { return static_cast<int64_t>(static_cast<double>(a[r]) / real); });
    } else {
      each([&](uint32_t r) { return a[r] / divisor; });
    }
  }

  std::vector<std::optional<IntegerRange>> ranges_;  // of each step
};

// Returns the records that have a value in all inputs.
std::vector<uint64_t> PresentIn(const ComputedInputs& inputs, uint32_t records) {
  std::vector<uint64_t> present(WordCount(records));
  for (uint32_t w = 0; w < present.size(); ++w) present[w] = RecordBits(records, w);
  for (const auto& input : inputs) {
    if (input == nullptr) continue;
    for (size_t w = 0; w < present.size(); ++w) present[w] &= input->present()[w];
  }
  return present;
}

}  // namespace

std::optional<IntegerRange> RangeOf(const ComputedStep& step, std::span<const std::optional<IntegerRange>> before) {
  if (step.op == StepOp::kConstant) {
    if (step.constant.type != Type::kInteger) return std::nullopt;
    return IntegerRange{step.constant.integer, step.constant.integer};
  }
  const std::optional<IntegerRange>& a = before[step.a];
  const std::optional<IntegerRange>& b = before[step.b];
  if (step.op == StepOp::kToInteger) return a ? a : IntegerRange::All();
  if (step.op == StepOp::kToReal || !a || !b) return std::nullopt;
  IntegerRange range;
  switch (step.op) {
    case StepOp::kAdd: range = {a->least + b->least, a->greatest + b->greatest}; break;
    case StepOp::kSubtract: range = {a->least - b->greatest, a->greatest - b->least}; break;
    case StepOp::kMultiply: {
      const auto [least, greatest] =
          std::minmax({a->least * b->least, a->least * b->greatest, a->greatest * b->least, a->greatest * b->greatest});
      range = {least, greatest};
      break;
    }
    // The absolute value does not grow.
    case StepOp::kDivide: range = {std::min(a->least, -a->greatest), std::max(a->greatest, -a->least)}; break;
    default: range = {std::min<__int128>(a->least, 0), std::max<__int128>(a->greatest, 0)}; break;
  }
  return range.fits() ? std::optional<IntegerRange>(range) : std::nullopt;
}

std::optional<Chunk> ComputeIntegers(std::span<const ComputedStep> steps, const ComputedInputs& inputs,
                                     uint32_t records) {
  IntegerSteps plan;
  if (!plan.Plan(steps, inputs)) return std::nullopt;
  std::vector<int64_t> results(steps.size() * kComputedStrip);
  const std::span<const int64_t> last = std::span(results).last(kComputedStrip);
  std::vector<int64_t> values(records);
  for (uint32_t first = 0; first < records; first += kComputedStrip) {
    const uint32_t count = std::min(kComputedStrip, records - first);
    plan.Compute(steps, inputs, first, count, results);
    std::copy_n(last.begin(), count, values.begin() + first);
  }
  return Chunk::OfIntegers(values, PresentIn(inputs, records));
}

}  // namespace ofindex
