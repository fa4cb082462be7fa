#pragma once

#include <cstdint>

#include "query/aggregates/grouping.h"

struct sqlite3;

namespace ofindex {

/// What the aggregate functions of a connection must take from a grouped scan instead of their argument. A scan sets it
/// while its current row is one of those that hand over the states of a group (query/tables/groups/grouped_rows.h).
struct ArmedGroup {
  enum class Stage : uint8_t {
    kNone,      ///< no scan hands over anything: functions work as SQLite's own
    kValues,    ///< the states of all values, and the number of records
    kDistinct,  ///< the states of the distinct values
    kBounds,    ///< nothing: the row is for min() and max() only
  };

  Stage stage = Stage::kNone;
  const Grouping* grouping = nullptr;
  uint32_t group = 0;

  /// Arguments have the subtypes kFirst + i, i being their number in the grouping. SQLite's own subtype is 74 (JSON).
  static constexpr unsigned kFirst = 1;
  static constexpr size_t kMaxArguments = 64;
};

/// Returns the rule of the SQLite in use.
[[nodiscard]] SumRule SumRuleOfSqlite();

/// Replaces count, sum, total and avg on `db` by functions that give the same results, also as window functions, and
/// take over groups from `armed`, which must outlive `db`. With SumRule::kCompensated, sums of other values than those
/// of groups may differ from SQLite's if they overflow. Returns false if SQLite refuses.
[[nodiscard]] bool RegisterAggregates(sqlite3* db, const ArmedGroup* armed);

}  // namespace ofindex
