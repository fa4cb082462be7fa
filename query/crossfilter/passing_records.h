#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/conditions.h"
#include "query/crossfilter/dimension.h"
#include "query/filter/selection.h"

namespace ofindex {

/// Returns the records that meet all `filters`, and that are in `among` unless it is null. The codes of `dimensions`
/// decide filters where they can. One pass over the blocks on store.threads() threads. Errors: kUsage if `among` is of
/// another dataset; kInterrupted; those of ColumnStore::Load.
[[nodiscard]] Result<Selection> PassingRecords(ColumnStore& store, const std::vector<ColumnFilter>& filters,
                                               std::span<const std::shared_ptr<const Dimension>> dimensions,
                                               const Selection* among, const Progress& progress);

}  // namespace ofindex
