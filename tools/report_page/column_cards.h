#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "tools/report_page/extremes.h"
#include "tools/report_page/html.h"

namespace ofindex {

/// How the columns of a page are summarised, as `ofindex stats --bins --top` does.
struct ColumnDetail {
  size_t bins = 20;
  size_t top = 10;
};

/// The most columns that a page describes; an index may have thousands.
inline constexpr size_t kMaxColumnCards = 200;

/// Writes the section of columns: of each its type, counts, extremes, quartiles, and a histogram or the most frequent
/// values. Adds the records of the least and the greatest values to `extremes`, to whose cards it links. Holds the
/// statistics of one column at a time. Returns the number of columns. Errors: those of StatsOf and FirstRecordWith.
[[nodiscard]] Result<size_t> WriteColumnCards(ColumnStore& store, const ColumnDetail& detail, Progress& progress,
                                              ExtremeRecords& extremes, Html& html);

}  // namespace ofindex
