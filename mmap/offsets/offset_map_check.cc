#include <algorithm>

#include "base/allocation.h"
#include "mmap/offsets/offset_map.h"

// Reads a map from end to end.

namespace ofindex {

// Checks that blocks ascend without overlap, and that each jump leads to the last block at or before its ordinal.
Result<void> OffsetMap::CheckBlocks(const Progress& progress) const {
  uint64_t end = 0;
  uint64_t live = 0;
  uint64_t jump = 0;
  for (uint64_t number = 0; number < header_.blocks; ++number) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const std::unique_ptr<CachedBlock> known, ReadBlock(number));
    const MapBlock& block = known->block;
    if (block.first_record < end || !Fits(block.first_record, block.records, header_.records))
      return Damaged(EntryAt(number), "the block does not follow the one before it");
    OFINDEX_TRY(CheckJumps(block.first_record, number, jump));
    end = block.first_record + block.records;
    live += block.records;
  }
  OFINDEX_TRY(CheckJumps(header_.records, header_.blocks, jump));
  if (live == header_.live) return {};
  return Damaged(header_.blocks_at, "the blocks and the header differ in the number of records");
}

// Checks that the jumps from `jump` on, of ordinals less than `end`, lead to the last of the first `blocks` blocks.
// Advances `jump`.
Result<void> OffsetMap::CheckJumps(uint64_t end, uint64_t blocks, uint64_t& jump) const {
  for (; jump < JumpCount(end); ++jump) {
    std::array<uint8_t, 4> entry{};
    const uint64_t at = header_.jumps_at + 4 * jump;
    OFINDEX_TRY(CopyOut(at, entry));
    if (LoadLe32(entry.data()) != std::max<uint64_t>(blocks, 1) - 1) {
      return Damaged(at, "the jump table is damaged");
    }
  }
  return {};
}

// Checks that shards have adjacent ordinals, and that those which are not gone have the live records.
Result<void> OffsetMap::CheckShards(const Progress& progress) const {
  uint64_t records = 0;
  uint64_t live = 0;
  for (uint64_t number = 0; number < header_.shards; ++number) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const MapShard shard, ReadShard(number));
    if (shard.first_record != records || !Fits(records, shard.records, header_.records)) {
      return Damaged(header_.shards_at + number * kMapShardBytes, "the shard does not follow the one before it");
    }
    records += shard.records;
    live += shard.gone ? 0 : shard.records;
    if (shard.compression != Compression::kNone) OFINDEX_TRY(CheckPoints(number, progress));
  }
  if (records == header_.records && live == header_.live) return {};
  return Damaged(header_.shards_at, "the shards and the header differ in the number of records");
}

// Checks that the checkpoints of a shard are as written, not what they inflate to.
Result<void> OffsetMap::CheckPoints(uint64_t shard, const Progress& progress) const {
  OFINDEX_ASSIGN(const MapStream stream, StreamOf(shard));
  OFINDEX_ASSIGN(const std::unique_ptr<Checkpoints> points, CheckpointsOf(shard));
  for (size_t i = 0; i < points->size(); ++i) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const Checkpoint point, points->At(i));
    if (CopyOfCheckpoint(point)) continue;
    return Damaged(header_.points_at + (stream.first_point + i) * kMapPointBytes,
                   "the checksum of a checkpoint is wrong");
  }
  return {};
}

Result<void> OffsetMap::CheckAll(const Progress& progress) const {
  return WithMemory("the map", [&]() -> Result<void> {
    OFINDEX_TRY(CheckBlocks(progress));
    return CheckShards(progress);
  });
}

}  // namespace ofindex
