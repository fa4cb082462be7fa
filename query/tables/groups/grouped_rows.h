#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/aggregates/grouping.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"
#include "query/tables/groups/armed_group.h"
#include "query/tables/groups/grouped_scans.h"
#include "query/tables/values/work_limits.h"

struct sqlite3_context;

namespace ofindex {

/// The rows of a scan that returns groups. Each group has up to four rows with the same keys:
///
///   1. keys alone: all other columns are NULL. SQLite closes the group before, whose results may run any other part
///      of the statement, and begins this one.
///   2. the group is armed: functions with an argument, which is NULL, take the states of its values, and count(*) the
///      number of records.
///   3. functions with DISTINCT, which have seen NULL only, take the states of the distinct values. min() and max() see
///      the least value.
///   4. min() and max() see the greatest value.
///
/// SQLite goes from row 2 to row 4 without leaving the loop, so that no other function can see an armed group. Not
/// thread-safe; store, limits and armed group must outlive it.
class GroupedRows {
 public:
  GroupedRows(ColumnStore& store, const WorkLimits& limits, ArmedGroup& armed)
      : store_(&store), limits_(&limits), armed_(&armed), held_(limits) {}
  ~GroupedRows() { Disarm(); }
  GroupedRows(const GroupedRows&) = delete;
  GroupedRows& operator=(const GroupedRows&) = delete;

  /// Groups the records that meet `constraints`, and goes to the first row. Errors: kIndex, kIo, kLimit, kInterrupted.
  [[nodiscard]] Result<void> Begin(const GroupedScan& scan, std::span<const Constraint> constraints);

  /// Goes to the next row. Must not be called after done(). Errors: as Begin.
  [[nodiscard]] Result<void> Next();

  [[nodiscard]] bool done() const { return done_; }

  /// Returns a column of the row to SQLite. Only for columns that the scan names. SQLite first tests those that must
  /// not be NULL, and then reads the others.
  void Put(sqlite3_context* context, uint32_t column);

 private:
  using Stage = ArmedGroup::Stage;

  /// A row of each group; the keys' own row has stage kNone.
  struct Row {
    Stage stage = Stage::kNone;
    bool greatest = false;  // kBounds: min() and max() see the greatest value, not the least
  };

  [[nodiscard]] Result<void> Advance(uint64_t records);
  [[nodiscard]] Result<void> GroupAll();
  [[nodiscard]] Result<bool> FindGroup();
  [[nodiscard]] uint32_t Group() const { return order_.empty() ? place_ : order_[place_]; }
  void PlanRows();
  void Arm();
  void Disarm();
  void Release();
  void PutArgument(sqlite3_context* context, size_t i) const;

  ColumnStore* store_;
  const WorkLimits* limits_;
  ArmedGroup* armed_;
  GroupedScan scan_;
  std::optional<Grouping> grouping_;
  HeldMemory held_;              // by the grouping
  std::vector<Row> rows_;        // of each group
  std::vector<uint32_t> order_;  // of the groups; empty: by number
  uint64_t window_ = 1;          // records to group next
  uint64_t max_window_ = 1;
  uint32_t place_ = 0;              // of the group in the order
  size_t row_ = 0;                  // of the group
  std::vector<uint32_t> untested_;  // columns that SQLite tests for NULL before it reads others of this row
  bool done_ = true;
};

}  // namespace ofindex
