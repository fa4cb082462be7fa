#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/aggregates/grouping.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"
#include "query/tables/groups/grouped_scans.h"

struct sqlite3_index_info;
struct sqlite3_value;

namespace ofindex {

/// The plan that xBestIndex makes and xFilter follows: the constraints that the table handles, in the order of their
/// values. A value type; SQLite keeps it as text.
struct RecordsPlan {
  struct Argument {
    uint32_t column = 0;
    Op op = Op::kEq;
    bool loose = false;  ///< SQLite checks each record again: see PassingText
  };

  std::vector<Argument> arguments;
  bool descending = false;                       ///< by _id
  std::optional<uint32_t> group = std::nullopt;  ///< number of the offer, or of the accepted scan (grouped_scans.h)
  std::vector<GroupRequest::Key> order = {};     ///< records come in this order; empty: by _id
  uint32_t wanted = 0;                           ///< with `order`: about how many records will be read
  std::string note = {};                         ///< for readers of EXPLAIN QUERY PLAN

  [[nodiscard]] std::string Encode() const;

  /// Decodes `text`, which Encode() wrote.
  [[nodiscard]] static RecordsPlan Decode(std::string_view text);

  /// Returns the constraint of `argument` with `value`. Applies the column's affinity to the value, which SQLite leaves
  /// to the table. Errors: kLimit if SQLite gave no value.
  [[nodiscard]] static Result<Constraint> ConstraintOf(const ColumnStore& store, const Argument& argument,
                                                       sqlite3_value* value);
};

/// Plans the query in `info`, and tells SQLite which constraints are taken over, whether rows come in the wanted order,
/// and the cost.
///
/// SQLite checks again every comparison that might not use the column's affinity: if the other side is a column of
/// numeric affinity, text is compared as a number, and the table cannot see that. `plain` says that there is no such
/// column. LIMIT and OFFSET are left to SQLite, which stops asking when it has enough rows; they only tell how many
/// records will be read in the order of other columns than _id. In statements with row-value comparisons or compound
/// SELECTs, SQLite 3.40 offers them to the table too, although they also count rows from elsewhere, which the table
/// cannot notice. `groups` may be null: then no scan returns groups.
void PlanRecords(ColumnStore& store, bool plain, GroupedScans* groups, sqlite3_index_info& info, RecordsPlan& plan);

}  // namespace ofindex
