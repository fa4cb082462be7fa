#pragma once

#include "query/stats/group_stats.h"
#include "query/stats/stats.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Returns the statistics of a column, as `stats --json` has them.
[[nodiscard]] Json JsonStats(const ColumnStats& stats);

/// Returns one of the groups of `stats`, as `stats --by --json` has it.
[[nodiscard]] Json JsonGroup(const GroupedStats& stats, const GroupRow& row);

/// Returns the groups beyond those that are shown, taken together; null if there are none.
[[nodiscard]] Json JsonOtherGroups(const GroupedStats& stats);

}  // namespace ofindex
