#pragma once

#include <cstdint>
#include <vector>

#include "index/columns/column.h"
#include "tools/shell/table.h"

namespace ofindex {

/// The features of a dataset of `records` records as `info` and `schema` print them, by name.
[[nodiscard]] Table FeatureTableOf(const std::vector<FeatureRow>& features, uint64_t records);

}  // namespace ofindex
