#pragma once

#include "base/result.h"
#include "query/stats/group_stats.h"
#include "query/stats/stats.h"
#include "tools/shell/output.h"

namespace ofindex {

/// What bars are drawn with: eighths of a block where standard output is a terminal of UTF-8, else '#', so that what
/// goes to a file or a pipe is ASCII and the same everywhere.
enum class Bars { kBlocks, kHashes };
[[nodiscard]] Bars BarsOfOutput();

/// Prints the statistics of one column for people, in lines of 80 places: what is known of its values, a histogram
/// where it has more of them than `top` shows, and the most frequent ones.
[[nodiscard]] Result<void> PrintStats(const ColumnStats& stats, Bars bars, Output& out);

/// Prints the groups, and a table of numbers for each column.
[[nodiscard]] Result<void> PrintGroups(const GroupedStats& stats, Bars bars, Output& out);

}  // namespace ofindex
