#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/tables/ascending_rows.h"
#include "query/tables/values/work_limits.h"

namespace ofindex {

/// The rows of a table by the value of one column, for comparisons with `=` under any affinity: a TEXT that may be a
/// number is found by its bytes and by that number. Lives in SQLite's memory, so that a statement's limit includes it.
/// Immutable; may be read by any number of threads.
class EqualityIndex {
 public:
  /// The cost of a lookup for SQLite's planner, in rows of a scan.
  static constexpr double kLookupCost = 4;

  /// Receives a row and its value, which is not NULL.
  using Take = std::function<void(uint64_t row, const Chunk::Value& value)>;

  /// Indexes a column. `visit` passes its rows, ascending and below `rows`, to its argument, each with its value; it is
  /// called twice. Returns no index if `limits` leave no room for one, or if there are too many rows.
  /// Errors: those of `visit`; kStale if `visit` passes other values the second time.
  [[nodiscard]] static Result<std::optional<EqualityIndex>> Build(
      uint64_t rows, const WorkLimits& limits, const std::function<Result<void>(const Take&)>& visit);

  /// Returns all rows whose value equals one of `values`, and few others. The time depends on the number of values, not
  /// of rows. Valid while this lives. A value that is compared both as a number and as text must be given as both.
  [[nodiscard]] AscendingRows Find(std::span<const ColumnValue> values) const;

 private:
  using Numbers = std::unique_ptr<uint32_t[], void (*)(void*)>;

  EqualityIndex(Numbers ends, Numbers rows, uint64_t mask)
      : ends_(std::move(ends)), rows_(std::move(rows)), mask_(mask) {}

  Numbers ends_;              // the rows of bucket b end before ends_[b] and begin at ends_[b - 1]
  Numbers rows_;              // bucket by bucket, ascending in each
  uint64_t mask_;             // from a hash to its bucket
  bool approximate_ = false;  // some texts are stored under approximate numbers
  bool odd_ = false;          // and some under none
};

}  // namespace ofindex
