#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// Returns the column of `records` called `name`. Tries the exact SQL name; then the name of a feature, which stands
/// for its most informative column (MainColumn); then the SQL name ignoring ASCII case, as SQL does.
/// Errors: kUsage if there is no such column; the message says what exists instead.
[[nodiscard]] Result<Column> FindColumn(const ColumnStore& store, std::string_view name);

/// Returns the column whose values group, stratify or weigh records: that of FindColumn(), unless `name` is a feature
/// that has a column of counts or sizes only. Such a column must be named by its own name. Errors: those of
/// FindColumn(); kUsage.
[[nodiscard]] Result<Column> FindValueColumn(const ColumnStore& store, std::string_view name);

}  // namespace ofindex
