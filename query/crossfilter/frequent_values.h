#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/stats/value_counts.h"

namespace ofindex {

/// Returns the `limit` most frequent values of `column`, as ValueCounts::Top does: without NULL, by descending count.
/// One pass over the chunks on store.threads() threads, or two if there are many values. The result does not depend on
/// the threads. If there are more than `max_records`, only blocks with about so many are read, evenly spread, and
/// counted. Errors: those of ColumnStore::Load; kInterrupted.
[[nodiscard]] Result<std::vector<ValueCount>> FrequentValues(ColumnStore& store, const Column& column, size_t limit,
                                                             const Progress& progress,
                                                             uint64_t max_records = UINT64_MAX);

}  // namespace ofindex
