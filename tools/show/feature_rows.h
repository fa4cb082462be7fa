#pragma once

#include <cstdint>
#include <vector>

#include "index/columns/column.h"
#include "tools/shell/table.h"

namespace ofindex {

/// Returns the features of a dataset of `records` records, sorted by name, as `info` and `schema` print them.
[[nodiscard]] Table FeatureTableOf(const std::vector<FeatureRow>& features, uint64_t records);

}  // namespace ofindex
