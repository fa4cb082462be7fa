#pragma once

#include <cstdint>
#include <string>

#include "mmap/sources/open_shard.h"

namespace ofindex {

/// For compressed shards: room for the spans of the 32 runs that `--block auto` has in flight.
inline constexpr uint64_t kInflatedCacheBytes = uint64_t{320} << 20;

struct ReaderOptions {
  IoMode io = IoMode::kAuto;
  std::string root = {};         ///< folder that holds a copy of the dataset; empty: use the paths in the index
  bool allow_bad = false;        ///< return payloads of records that are marked bad, instead of an error
  uint64_t max_maps = 0;         ///< maximum number of mapped shards; 0: half of what the kernel allows a process
  uint64_t max_descriptors = 0;  ///< maximum number of descriptors kept open; 0: a quarter of the process's limit
  /// Maximum bytes of inflated spans to keep for compressed shards. The same limit applies separately to the views of
  /// their records. The span being read is always kept.
  uint64_t inflated_cache_bytes = kInflatedCacheBytes;
};

}  // namespace ofindex
