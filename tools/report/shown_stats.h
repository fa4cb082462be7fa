#pragma once

#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/stats/stats.h"

namespace ofindex {

/// Returns the columns that are described if none is named: those of all features, then the lengths of the payloads.
[[nodiscard]] std::vector<Column> DescribedColumns(const ColumnStore& store);

/// Returns true if the values of `column` are floats alone, which are written as such: 0.2, not 0.20000000298023224.
[[nodiscard]] bool HoldsFloats(const ColumnStore& store, const Column& column);

/// Returns the statistics of `column` as all verbs show them: floats are written as floats, while quartiles and bins,
/// which are computed, stay doubles. Errors: those of StatsOf.
[[nodiscard]] Result<ColumnStats> ShownStatsOf(ColumnStore& store, const Column& column, const StatsOptions& options);

}  // namespace ofindex
