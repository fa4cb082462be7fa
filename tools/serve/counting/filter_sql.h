#pragma once

#include <string>
#include <vector>

#include "tools/serve/counting/record_filter.h"

namespace ofindex {

/// Returns the SQL expression that holds for the same records as `filter`, for commands; empty if all pass.
[[nodiscard]] std::string SqlOf(const RecordFilter& filter);

/// Returns the SQL expression that holds if the lists of `column` have any of `values`.
[[nodiscard]] std::string SqlOfAny(const Column& column, const std::vector<ColumnValue>& values);

}  // namespace ofindex
