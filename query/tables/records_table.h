#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"
#include "query/tables/groups/grouped_scans.h"
#include "query/tables/values/table_module.h"
#include "query/tables/values/work_limits.h"

struct sqlite3;

namespace ofindex {

/// The constraints that SQLite passed to a table that records them instead of returning rows.
struct PushedConstraints {
  bool active = false;                                     ///< the table records constraints here, and has no rows
  std::vector<std::vector<Constraint>> conjunctions = {};  ///< one for each time that SQLite asked
};

/// The dataset behind the table `records` of one connection, and how the table answers.
struct RecordsSource {
  std::shared_ptr<ColumnStore> store;

  /// No column or expression of numeric affinity is compared with a column of the table
  /// (query/tables/records_planner.h).
  bool plain = false;

  std::shared_ptr<PushedConstraints> pushed = nullptr;  ///< may be null
  std::shared_ptr<GroupedScans> groups = nullptr;       ///< null: no scan returns groups
  WorkLimits limits = {};
};

/// Registers the table as RegisterRecords() of query/tables/tables.h does, with the answers that `source` asks for.
/// `schema` is as in RegisterTable() (query/tables/values/table_module.h).
[[nodiscard]] Result<void> RegisterRecordsTable(sqlite3* db, RecordsSource source, const std::string& schema = {});

}  // namespace ofindex
