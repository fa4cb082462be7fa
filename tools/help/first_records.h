#pragma once

#include <string>
#include <vector>

#include "tools/help/index_names.h"

namespace ofindex {

/// Returns the features of the first records of `data`, a shard or a folder with shards, in byte order. Reads one shard
/// and little of it, so that a person at a prompt does not wait; a feature of later records may be missing. Returns
/// none if no shard is found, or if its payloads are not messages.
[[nodiscard]] std::vector<IndexName> FeaturesOfFirstRecords(const std::string& data);

}  // namespace ofindex
