#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// The column of `records` that is called `name`: its SQL name exactly, or else that of a feature, which stands for the
/// column that says most of it, or else its SQL name without regard to the case of ASCII, as SQL has it.
/// Errors: kUsage  there is none; the hint has the nearest names.
[[nodiscard]] Result<Column> FindColumn(const ColumnStore& store, std::string_view name);

}  // namespace ofindex
