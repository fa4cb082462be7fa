#pragma once

#include <string>
#include <vector>

#include "index/columns/column.h"

namespace ofindex {

/// Returns a list as `records` should show it, by an independent implementation: nlohmann's, except for infinities and
/// bytes that are not text.
[[nodiscard]] std::string JsonOfValues(const std::vector<ColumnValue>& values);

}  // namespace ofindex
