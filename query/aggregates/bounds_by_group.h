#pragma once

#include <vector>

#include "index/chunks/chunk.h"
#include "query/aggregates/block_groups.h"
#include "query/stats/group_sums.h"

namespace ofindex {

/// Counts the values of `chunk` in each of `groups`, and adds up its integers. With `bounds`, also finds the least and
/// the greatest value as SQLite does, bytes included: among equal values, the first. The result views the chunk.
[[nodiscard]] std::vector<GroupSum> StatesByGroup(const Chunk& chunk, const BlockGroups& groups, bool bounds);

}  // namespace ofindex
