#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "index/writing/shard_set_writer.h"
#include "tools/shell/json.h"

namespace ofindex {

/// The options of every verb that writes shards: where to, of which format, and how many.
void AddOutputOptions(CLI::App& verb, ShardSetRequest& request, const char* default_shards);

/// "out/part-0 and 1 more: 350 records, 24.4 KiB": what was written, for people.
[[nodiscard]] std::string Summary(const ShardSetWriter& writer);

/// The same for programs: schema, files, records, bytes, seconds. Verbs add what is theirs.
[[nodiscard]] Json ToJson(const char* schema, const ShardSetWriter& writer, double seconds);

}  // namespace ofindex
