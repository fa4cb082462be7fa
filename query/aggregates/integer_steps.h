#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "index/chunks/chunk.h"
#include "query/aggregates/computed_steps.h"

namespace ofindex {

/// A range of integers, wide enough for the result of one step whose operands are int64.
struct IntegerRange {
  __int128 least = 0;
  __int128 greatest = 0;

  static constexpr IntegerRange All() {
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }

  [[nodiscard]] bool fits() const {
    return least >= std::numeric_limits<int64_t>::min() && greatest <= std::numeric_limits<int64_t>::max();
  }
};

/// Returns a range that the results of `step` lie in, if they are surely integers or NULL; `before` are the ranges of
/// the steps before it. Not for columns.
[[nodiscard]] std::optional<IntegerRange> RangeOf(const ComputedStep& step,
                                                  std::span<const std::optional<IntegerRange>> before);

/// Computes `steps` for all records of a block as integers, without SQLite's checks of types and overflow, several
/// times as fast as ComputeStrip. The result must depend on all inputs: it is NULL if one of them is. Returns nothing
/// unless the values of `inputs` show that the checks find nothing.
[[nodiscard]] std::optional<Chunk> ComputeIntegers(std::span<const ComputedStep> steps, const ComputedInputs& inputs,
                                                   uint32_t records);

}  // namespace ofindex
