#include "query/aggregates/computed_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "query/columns/chunks/bit_words.h"

// The rules are those of SQLite's opcodes Add, Subtract, Multiply, Divide, Remainder and Cast (sqlite.org/opcode.html,
// sqlite.org/lang_expr.html): integers that overflow are computed again as reals, division by zero and NaN are NULL.

namespace ofindex {
namespace {

using Number = ComputedNumber;
using StepOp = ComputedStep::Op;
using Type = ColumnValue::Type;

Number Integer(int64_t value) {
  Number number;
  number.type = Type::kInteger;
  number.integer = value;
  return number;
}

Number Real(double value) {
  Number number;
  if (std::isnan(value)) return number;
  number.type = Type::kReal;
  number.real = value;
  return number;
}

double AsReal(const Number& number) {
  return number.type == Type::kInteger ? static_cast<double>(number.integer) : number.real;
}

int64_t AsInteger(const Number& number) {
  if (number.type == Type::kInteger) return number.integer;
  if (number.real <= -0x1p63) return std::numeric_limits<int64_t>::min();
  if (number.real >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(number.real);
}

// Returns nothing if the result is no integer.
std::optional<Number> OfIntegers(StepOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflow = b == -1 && a == std::numeric_limits<int64_t>::min();
  switch (op) {
    case StepOp::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
      return Integer(result);
    case StepOp::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      return Integer(result);
    case StepOp::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
      return Integer(result);
    case StepOp::kDivide:
      if (b == 0) return Number();
      if (overflow) return std::nullopt;
      return Integer(a / b);
    default:
      if (b == 0) return Number();
      return Integer(overflow ? 0 : a % b);
  }
}

Number OfReals(StepOp op, const Number& a, const Number& b) {
  switch (op) {
    case StepOp::kAdd: return Real(AsReal(a) + AsReal(b));
    case StepOp::kSubtract: return Real(AsReal(a) - AsReal(b));
    case StepOp::kMultiply: return Real(AsReal(a) * AsReal(b));
    case StepOp::kDivide: return AsReal(b) == 0 ? Number() : Real(AsReal(a) / AsReal(b));
    default: {
      const std::optional<Number> remainder = OfIntegers(op, AsInteger(a), AsInteger(b));
      return remainder->type == Type::kNull ? *remainder : Real(static_cast<double>(remainder->integer));
    }
  }
}

Number Computed(StepOp op, const Number& a, const Number& b) {
  if (a.type == Type::kInteger && b.type == Type::kInteger) {
    const std::optional<Number> result = OfIntegers(op, a.integer, b.integer);
    return result ? *result : OfReals(op, a, b);
  }
  if (a.type == Type::kNull || b.type == Type::kNull) return {};
  return OfReals(op, a, b);
}

Number CastNumber(StepOp op, const Number& a) {
  if (a.type == Type::kNull) return a;
  return op == StepOp::kToInteger ? Integer(AsInteger(a)) : Real(AsReal(a));
}

Number NumberAt(const Chunk& chunk, uint32_t record) {
  const Chunk::Value value = chunk.At(record);
  if (value.type == Type::kInteger) return Integer(value.integer);
  return value.type == Type::kReal ? Real(value.real) : Number();
}

// Sets `out` to the values of the records [first, first + count).
void ReadStrip(const Chunk& chunk, uint32_t first, uint32_t count, Number* out) {
  const auto read = [&](auto value) {
    for (uint32_t r = 0; r < count; ++r) out[r] = BitAt(chunk.present(), first + r) ? value(first + r) : Number();
  };
  switch (chunk.form()) {
    case Chunk::Form::kIntegers:
      return std::visit(
          [&](const auto& offsets) {
            const auto base = static_cast<uint64_t>(chunk.integers().base);
            read([&](uint32_t r) { return Integer(static_cast<int64_t>(base + offsets[r])); });
          },
          chunk.integers().offsets);
    case Chunk::Form::kFloats: return read([&](uint32_t r) { return Real(double{chunk.floats()[r]}); });
    case Chunk::Form::kDoubles: return read([&](uint32_t r) { return Real(chunk.doubles()[r]); });
    default:
      for (uint32_t r = 0; r < count; ++r) out[r] = NumberAt(chunk, first + r);
  }
}

}  // namespace

void ComputeStrip(std::span<const ComputedStep> steps, const ComputedInputs& inputs, uint32_t first, uint32_t count,
                  std::span<ComputedNumber> results) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const ComputedStep& step = steps[i];
    Number* const out = &results[i * kComputedStrip];
    const Number* const a = &results[step.a * kComputedStrip];
    const Number* const b = &results[step.b * kComputedStrip];
    if (step.op == StepOp::kColumn) {
      ReadStrip(*inputs[i], first, count, out);
    } else if (step.op == StepOp::kConstant) {
      std::fill_n(out, count, step.constant);
    } else if (step.op == StepOp::kToInteger || step.op == StepOp::kToReal) {
      for (uint32_t r = 0; r < count; ++r) out[r] = CastNumber(step.op, a[r]);
    } else {
      // One loop for each operation, so that it is not chosen again for each record.
      const auto compute = [&]<StepOp op>() {
        for (uint32_t r = 0; r < count; ++r) out[r] = Computed(op, a[r], b[r]);
      };
      switch (step.op) {
        case StepOp::kAdd: compute.template operator()<StepOp::kAdd>(); break;
        case StepOp::kSubtract: compute.template operator()<StepOp::kSubtract>(); break;
        case StepOp::kMultiply: compute.template operator()<StepOp::kMultiply>(); break;
        case StepOp::kDivide: compute.template operator()<StepOp::kDivide>(); break;
        default: compute.template operator()<StepOp::kRemainder>(); break;
      }
    }
  }
}

}  // namespace ofindex
