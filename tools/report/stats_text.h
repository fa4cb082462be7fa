#pragma once

#include "base/result.h"
#include "query/stats/group_stats.h"
#include "query/stats/stats.h"
#include "tools/shell/output.h"

namespace ofindex {

/// How bars are drawn: eighths of a block if standard output is a UTF-8 terminal, otherwise '#', so that files and
/// pipes get the same ASCII everywhere.
enum class Bars { kBlocks, kHashes };
[[nodiscard]] Bars BarsOfOutput();

/// Prints the statistics of one column for people, in lines of the terminal's width, or of 80 columns: facts about its
/// values, the most frequent values, and a histogram if the column has more distinct values than `top` shows.
[[nodiscard]] Result<void> PrintStats(const ColumnStats& stats, Bars bars, Output& out);

/// Prints the groups, and a table of numbers for each column.
[[nodiscard]] Result<void> PrintGroups(const GroupedStats& stats, Bars bars, Output& out);

}  // namespace ofindex
