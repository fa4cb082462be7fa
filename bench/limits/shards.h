#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace limits {

/// A shard, and the file with the places of its records.
struct ShardPaths {
  std::string shard;
  std::string places;
};

/// The payload of a record in a map that stays for the life of the process.
struct Place {
  const uint8_t* data;
  uint64_t size;
};

[[nodiscard]] std::string PlacesFolder(const std::string& folder);

/// Returns the paths of all shards of a data folder, in order of their names.
[[nodiscard]] std::vector<ShardPaths> ShardsOf(const std::string& folder);

/// Maps all shards, and returns the place of each record.
[[nodiscard]] std::vector<Place> MapRecords(const std::string& folder);

/// Prefetches all cache lines of a payload.
inline void Prefetch(Place record) {
  for (uint64_t line = 0; line < record.size; line += 64) __builtin_prefetch(record.data + line);
}

/// Prints what the system says about `path`, and ends the process.
[[noreturn]] void Fail(const std::string& path);

}  // namespace limits
