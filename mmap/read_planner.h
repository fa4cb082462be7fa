#pragma once

#include <cstdint>

#include "base/record.h"
#include "base/result.h"
#include "mmap/batch/hot_block_cache.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/shard_table.h"
#include "mmap/sources/byte_source.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {

/// A record that was found on the slow path, with its shard open.
struct PlannedRead {
  const OpenShard* shard;
  uint64_t block;   ///< in the map
  RecordRead read;  ///< its `out` is not set
};

/// The first half of the slow path of each read: finds records, refuses bad ones and opens their shards.
/// Thread-safe; usable after fork.
class ReadPlanner {
 public:
  /// All arguments must outlive the planner.
  ReadPlanner(const OffsetMap& map, const ShardTable& shards, HotBlockCache& ready, bool allow_bad)
      : map_(map), shards_(shards), hot_blocks_(ready), allow_bad_(allow_bad) {}

  [[nodiscard]] const OffsetMap& map() const { return map_; }

  /// Returns the location of record `ordinal`. Reads its shard's entry, but does not open the shard.
  /// Errors: kOutOfRange, kIndex.
  [[nodiscard]] Result<RecordLocation> Locate(uint64_t ordinal) const;

  /// Returns how to read record `ordinal`. Errors: kOutOfRange; kDamage if the record is marked bad; kIndex, kStale,
  /// kIo, kLimit.
  [[nodiscard]] Result<PlannedRead> Plan(uint64_t ordinal) const;

  /// Does the same as Plan for a record that lies at `place`. `shard` is its shard, or null if the shard may not be
  /// open yet.
  [[nodiscard]] Result<PlannedRead> PlanAt(uint64_t ordinal, const OffsetMap::Place& place,
                                           const OpenShard* shard) const;

  /// Puts the block of `planned` into the hot-block cache, if it qualifies.
  void MakeReady(const PlannedRead& planned) const {
    hot_blocks_.Add(map_, planned.read.ordinal, planned.block, *planned.shard, allow_bad_);
  }

 private:
  const OffsetMap& map_;
  const ShardTable& shards_;
  HotBlockCache& hot_blocks_;
  const bool allow_bad_;
};

}  // namespace ofindex
