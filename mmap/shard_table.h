#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "mmap/inflate/span_cache.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/reader_options.h"
#include "mmap/shard_paths.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {

/// The shards of a dataset, each opened and checked against the index when first used; they stay open while the table
/// lives. Beyond the limits on maps and descriptors, shards are read by pread and looked up by name. Thread-safe
/// without locks, except for compressed shards; usable after fork.
class ShardTable {
 public:
  /// Opens no shard. `map` must outlive the table. If there is no memory for the table, every Get fails.
  ShardTable(const OffsetMap& map, ShardPaths paths, const ReaderOptions& options);
  ~ShardTable();
  ShardTable(const ShardTable&) = delete;
  ShardTable& operator=(const ShardTable&) = delete;

  /// Returns the path at which shard `shard` is looked for, as used in messages. Errors: kIndex.
  [[nodiscard]] Result<std::string> PathOf(uint32_t shard) const;

  /// Returns shard `shard`, and opens it first if it is not open. Errors: kIndex, kIo, kLimit; kStale if it is no
  /// longer the file that was indexed.
  [[nodiscard]] Result<const OpenShard*> Get(uint32_t shard) const {
    if (shard >= count_) return tl::unexpected(allocated_.error());
    const OpenShard* open = open_[shard].load(std::memory_order_acquire);
    if (open != nullptr) return open;
    return OpenNow(shard);
  }

  /// Returns shard `shard`, which an earlier Get has returned.
  [[nodiscard]] const OpenShard& Opened(uint32_t shard) const { return *open_[shard].load(std::memory_order_acquire); }

 private:
  [[nodiscard]] Result<const OpenShard*> OpenNow(uint32_t shard) const;
  [[nodiscard]] Result<std::optional<OpenShard::Inflation>> InflationOf(uint32_t shard, const MapShard& entry) const;

  const OffsetMap& map_;
  const ShardPaths paths_;
  const IoMode io_;
  const bool rooted_;  // the shards are those of a copy
  const uint64_t max_maps_;
  const uint64_t max_descriptors_;
  mutable SpanCache cache_;
  std::unique_ptr<std::atomic<OpenShard*>[]> open_;  // null until first used
  uint64_t count_ = 0;
  Result<void> allocated_;                   // returned by every Get if there was no memory for the table
  mutable std::atomic<uint64_t> opened_{0};  // number of open shards; only the first ones keep maps and descriptors
};

}  // namespace ofindex
