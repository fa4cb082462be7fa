#pragma once

#include <string>

#include "tools/serve/counting/record_filter.h"

namespace ofindex {

/// Returns the SQL expression that holds for the same records as `filter`, for commands; empty if all pass.
[[nodiscard]] std::string SqlOf(const RecordFilter& filter);

}  // namespace ofindex
