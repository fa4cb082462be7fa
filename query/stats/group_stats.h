#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/columns/column_store.h"
#include "query/stats/group_sums.h"

namespace ofindex {

/// The records with one value, and sums of their numbers.
struct GroupRow {
  ColumnValue value;
  uint64_t rows = 0;
  std::vector<GroupSum> sums;  ///< by column, in the order of GroupedStats
};

/// A dataset's records grouped by the value of one column: by descending number of records, then in SQLite's order of
/// values. NULL is a value, and NaN is NULL. A value type.
struct GroupedStats {
  std::string by;
  std::vector<std::string> columns;
  uint64_t rows = 0;
  std::vector<GroupRow> groups;
  uint64_t other_groups = 0;  ///< groups that are not shown
  GroupRow others;            ///< all of them together
};

struct GroupOptions {
  size_t limit = ~size_t{0};  ///< groups that are shown

  /// Returns a bitmap of the records with ordinals in [begin, end) that are grouped, lowest ordinal first; empty if
  /// none are. Null: all records are. Called on several threads.
  using Among = std::function<std::vector<uint64_t>(uint64_t begin, uint64_t end)>;
  Among among = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

/// Limit for the number of groups, and for the total number of values in groups and columns. Reaching it is an error.
inline constexpr uint64_t kMaxGroups = 1'000'000;
inline constexpr uint64_t kMaxGroupSums = 4'000'000;
inline constexpr uint64_t kMaxGroupBytes = uint64_t{256} << 20;  // for the values of the groups themselves

/// Groups by `by` on store.threads() threads, and sums the numbers of `columns`; none of them may have lists. The
/// result does not depend on the threads. Errors: kLimit if there are too many groups; those of ColumnStore::Load;
/// kInterrupted.
[[nodiscard]] Result<GroupedStats> GroupStats(ColumnStore& store, const Column& by, const std::vector<Column>& columns,
                                              const GroupOptions& options);

}  // namespace ofindex
