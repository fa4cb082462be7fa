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
#include "query/tables/work_limits.h"

namespace ofindex {

/// The rows of a table by the values that one column has in them, for comparisons with `=` whatever their affinity: a
/// TEXT that may be a number is found by its bytes and by that number. Lives in SQLite's memory, so that the limit of
/// a statement counts it. Immutable; may be read by any number of threads.
class EqualityIndex {
 public:
  /// The cost of a lookup for SQLite's planner, in rows of a scan.
  static constexpr double kLookupCost = 4;

  /// Takes a row and its value, which is not NULL.
  using Take = std::function<void(uint64_t row, const Chunk::Value& value)>;

  /// Indexes the column that `visit` gives, row by row, ascending, below `rows`: it is called twice. No index if
  /// `limits` have no room for one, or there are too many rows.
  /// Errors: those of `visit`; kStale  it gave other values the second time.
  [[nodiscard]] static Result<std::optional<EqualityIndex>> Build(
      uint64_t rows, const WorkLimits& limits, const std::function<Result<void>(const Take&)>& visit);

  /// Returns rows among which are all whose value equals one of `values`, and few others; takes as long as there are
  /// values, however many rows. Valid while this lives. A value that is compared both as a number and as text must be
  /// given as both.
  [[nodiscard]] AscendingRows Find(std::span<const ColumnValue> values) const;

 private:
  using Numbers = std::unique_ptr<uint32_t[], void (*)(void*)>;

  EqualityIndex(Numbers ends, Numbers rows, uint64_t mask)
      : ends_(std::move(ends)), rows_(std::move(rows)), mask_(mask) {}

  Numbers ends_;              // of bucket b, its rows end before ends_[b] and begin at ends_[b - 1]
  Numbers rows_;              // bucket by bucket, ascending in each
  uint64_t mask_;             // of a hash: its bucket
  bool approximate_ = false;  // some texts are under approximate numbers
  bool odd_ = false;          // and some under none
};

}  // namespace ofindex
