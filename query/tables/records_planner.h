#pragma once

#include "query/columns/column_store.h"
#include "query/tables/groups/grouped_scans.h"
#include "query/tables/records_plan.h"

struct sqlite3_index_info;

namespace ofindex {

/// Plans the query in `info`, and tells SQLite which constraints are taken over, whether rows come in the wanted order,
/// and the cost.
///
/// SQLite checks again every comparison that might not use the column's affinity: if the other side is a column of
/// numeric affinity, text is compared as a number, and the table cannot see that. `plain` says that there is no such
/// column. LIMIT and OFFSET are left to SQLite, which stops asking when it has enough rows; they only tell how many
/// records will be read in the order of other columns than _id. In statements with row-value comparisons or compound
/// SELECTs, SQLite 3.40 offers them to the table too, although they also count rows from elsewhere, which the table
/// cannot notice. `groups` may be null: then no scan returns groups.
[[nodiscard]] RecordsPlan PlanRecords(ColumnStore& store, bool plain, GroupedScans* groups, sqlite3_index_info& info);

}  // namespace ofindex
