#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"
#include "query/tables/work_limits.h"

struct sqlite3;

namespace ofindex {

/// What SQLite asked of a table instead of records.
struct TakenConstraints {
  bool active = false;                                     ///< the table takes constraints down here, and has no rows
  std::vector<std::vector<Constraint>> conjunctions = {};  ///< one each time that SQLite asked
};

/// What the table `records` of one connection is over, and how it answers.
struct RecordsSource {
  std::shared_ptr<ColumnStore> store;

  /// No column or expression of numeric affinity is compared with a column of the table (query/tables/records_plan.h).
  bool plain = false;

  std::shared_ptr<TakenConstraints> taken = nullptr;  ///< may be null
  WorkLimits limits = {};
};

/// RegisterRecords() of query/tables/tables.h, for a table that answers as `source` says.
[[nodiscard]] Result<void> RegisterRecordsTable(sqlite3* db, RecordsSource source);

/// `name` as SQL has a name, between double quotes.
[[nodiscard]] std::string QuotedName(std::string_view name);

}  // namespace ofindex
