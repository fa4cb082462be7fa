#pragma once

#include "base/result.h"
#include "query/stats/group_stats.h"
#include "query/stats/stats.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Writes the statistics of a column as a row of CSV, perhaps after the header.
[[nodiscard]] Result<void> WriteStatsCsv(const ColumnStats& stats, bool header, Output& out);

/// Writes the groups, a row for each, perhaps after a header. The last row stands for the groups that are not shown: it
/// has no value, and `groups` holds their number.
[[nodiscard]] Result<void> WriteGroupsCsv(const GroupedStats& stats, bool header, Output& out);

}  // namespace ofindex
