#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "index/shard_set_plan.h"

namespace ofindex {

/// The options of every verb that writes shards: where to, of which format, and how many.
void AddOutputOptions(CLI::App& verb, ShardSetRequest& request, const char* default_shards);

/// "out/data-00000-of-00002.tfrecord and 1 more": the shards of `plan`, for people.
[[nodiscard]] std::string NamesOf(const ShardSetPlan& plan);

}  // namespace ofindex
