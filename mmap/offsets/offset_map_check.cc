#include "base/allocation.h"
#include "mmap/offsets/offset_map.h"

// Reads a map from end to end.

namespace ofindex {

// Checks that blocks are consecutive, and that each jump leads to the block of its record.
Result<void> OffsetMap::CheckBlocks(const Progress& progress) const {
  uint64_t records = 0;
  uint64_t jump = 0;
  for (uint64_t number = 0; number < header_.blocks; ++number) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const std::unique_ptr<CachedBlock> known, ReadBlock(number));
    if (known->block.first_record != records)
      return Damaged(EntryAt(number), "the block does not follow the one before it");
    records += known->block.records;
    for (; jump * kJumpRecords < records; ++jump) {
      std::array<uint8_t, 4> entry{};
      const uint64_t at = header_.jumps_at + 4 * jump;
      if (jump >= JumpCount(header_.records)) break;
      OFINDEX_TRY(CopyOut(at, entry));
      if (LoadLe32(entry.data()) != number) return Damaged(at, "the jump table is damaged");
    }
  }
  if (records != header_.records) {
    return Damaged(header_.blocks_at, "the blocks and the header differ in the number of records");
  }
  return {};
}

Result<void> OffsetMap::CheckShards(const Progress& progress) const {
  for (uint64_t number = 0; number < header_.shards; ++number) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const MapShard shard, ReadShard(number));
    if (shard.compression != Compression::kNone) OFINDEX_TRY(CheckPoints(number, progress));
  }
  return {};
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
