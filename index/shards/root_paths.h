#pragma once

#include <string>
#include <vector>

#include "index/catalog/catalog.h"
#include "mmap/shard_paths.h"

namespace ofindex {

/// Returns the rule by which the copies of `shards`, of which there is at least one, are found below `root`.
[[nodiscard]] ShardPaths PathsBelow(const std::string& root, const std::vector<ShardRow>& shards);

}  // namespace ofindex
