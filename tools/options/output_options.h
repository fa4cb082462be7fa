#pragma once

#include <string>

#include "index/writing/shard_set_writer.h"
#include "tools/options/command_line.h"
#include "tools/shell/json.h"

namespace ofindex {

/// Adds the options of every verb that writes shards: their path, format and number.
void AddOutputOptions(Verb& verb, ShardSetRequest& request, const char* default_shards);

/// Returns a summary for people: "out/part-0 and 1 more: 350 records, 24.4 KiB".
[[nodiscard]] std::string Summary(const ShardSetWriter& writer);

/// Returns the same for programs: schema, files, records, bytes, seconds. Verbs add their own keys.
[[nodiscard]] Json ToJson(const char* schema, const ShardSetWriter& writer, double seconds);

}  // namespace ofindex
