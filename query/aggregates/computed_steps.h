#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"

namespace ofindex {

/// A number, or NULL. Never a NaN.
struct ComputedNumber {
  ColumnValue::Type type = ColumnValue::Type::kNull;  // kNull, kInteger or kReal
  union {
    int64_t integer = 0;
    double real;
  };
};

/// One step of a computation. Its operands are results of earlier steps.
struct ComputedStep {
  enum class Op : uint8_t {
    kColumn,
    kConstant,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kToInteger,
    kToReal,
  };
  Op op = Op::kConstant;
  uint32_t column = 0;           // of the store; for kColumn
  ComputedNumber constant = {};  // for kConstant
  size_t a = 0;                  // number of the step that computes the left operand
  size_t b = 0;                  // the right one
};

/// The chunk of each step that is a column.
using ComputedInputs = std::vector<std::shared_ptr<const Chunk>>;

/// Records that are computed together: the results of all steps then stay in the processor's cache.
inline constexpr uint32_t kComputedStrip = 1024;

/// Computes all steps for the records [first, first + count), by SQLite's rules. `results` has kComputedStrip numbers
/// for each step.
void ComputeStrip(std::span<const ComputedStep> steps, const ComputedInputs& inputs, uint32_t first, uint32_t count,
                  std::span<ComputedNumber> results);

}  // namespace ofindex
