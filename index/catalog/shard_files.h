#pragma once

#include <vector>

#include "index/catalog/catalog.h"

namespace ofindex {

/// Returns the shards that are there, in natural order of paths: the first piece of each, with the totals of all.
[[nodiscard]] std::vector<ShardRow> ShardFiles(const std::vector<ShardRow>& pieces);

/// Returns the number of records in shards that are missing.
[[nodiscard]] uint64_t GoneRecords(const std::vector<ShardRow>& pieces);

}  // namespace ofindex
