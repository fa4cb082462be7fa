#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "mmap/inflating/checkpoint.h"
#include "mmap/mapped_file.h"
#include "mmap/offset_map_format.h"
#include "mmap/packed_offsets.h"

namespace ofindex {

/// Where every record of a dataset lies: a NAME.ofidx-map, mapped and shared by all processes of the host.
///
/// Immutable and thread-safe; usable after fork. Every byte of the file is taken for hostile: whatever it holds, an
/// answer is either what the map's checksums vouch for or an error. The file is never changed in place, only replaced.
class OffsetMap {
 public:
  /// Opens in O(1), whatever the number of records and shards: reads the header, nothing else.
  /// Errors: kNotFound  there is no such file; kIndex  it is no map, or not of this version, or damaged; kIo, kLimit.
  [[nodiscard]] static Result<OffsetMap> Open(const std::string& path);

  [[nodiscard]] const MapHeader& header() const { return header_; }
  [[nodiscard]] uint64_t records() const { return header_.records; }
  [[nodiscard]] uint64_t shards() const { return header_.shards; }

  /// A record's place: [begin, end) of the shard, framing included.
  struct Place {
    uint32_t shard;
    uint32_t bad_reason;  ///< 0 for a sound record
    uint64_t begin;
    uint64_t end;
  };

  /// Place of record `ordinal`, less than records(). O(1); two cache misses in a large map. ReadyBlocks is faster where
  /// many records are read.
  /// Errors: kIndex  the map is damaged.
  [[nodiscard]] Result<Place> Find(uint64_t ordinal) const;

  /// Number of the block that should hold record `ordinal`, less than records(): whoever uses it checks that it does.
  /// Returns false if the directory is damaged.
  [[nodiscard]] bool FindBlock(uint64_t ordinal, uint64_t& number) const;

  /// A block whose checksum holds, and its packed offsets, sound for all its records. Valid while the map lives.
  struct CheckedBlock {
    MapBlock block;
    const uint8_t* packed;
  };

  /// Block `number`, less than header().blocks; checked when first asked for. Errors: kIndex.
  [[nodiscard]] Result<CheckedBlock> Block(uint64_t number) const;

  /// Shard `shard`, less than shards(); its path views the map. Errors: kIndex.
  [[nodiscard]] Result<MapShard> Shard(uint64_t shard) const;

  /// The checkpoints of shard `shard`, which is compressed; the map must outlive them. Errors: kIndex.
  [[nodiscard]] Result<std::unique_ptr<Checkpoints>> CheckpointsOf(uint64_t shard) const;

  /// Bytes at the front of every shard's path that name the folder they all lie in, "train/" for example.
  [[nodiscard]] uint64_t data_dir_bytes() const { return header_.data_dir_bytes; }

 private:
  OffsetMap() = default;

  class Points;

  [[nodiscard]] Result<void> CheckLayout() const;
  [[nodiscard]] Result<MapStream> StreamOf(uint64_t shard) const;
  [[nodiscard]] uint64_t SearchBlocks(uint64_t ordinal, uint64_t low, uint64_t high) const;
  [[nodiscard]] bool CheckBlock(uint64_t block) const;
  [[nodiscard]] uint32_t BadReason(const MapBlock& block, uint32_t record) const;
  [[nodiscard]] tl::unexpected<Error> Damaged(uint64_t offset, const char* what) const;
  [[nodiscard]] const uint8_t* BlockEntry(uint64_t block) const {
    return data_ + header_.blocks_at + block * kMapEntryBytes;
  }

  std::string path_;
  MapHeader header_;
  MappedFile file_;
  const uint8_t* data_ = nullptr;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // per block: its checksum was found to hold
};

[[nodiscard]] constexpr uint64_t JumpCount(uint64_t records) {
  return records / kJumpRecords + (records % kJumpRecords != 0 ? 1 : 0);
}

// The jump table gives the blocks of the first and the last record that share the ordinal's upper bits; the block is
// between them. Blocks of a well-filled dataset hold 65,536 records: two steps, without a branch that the processor
// could guess wrong, find nearly all.
inline bool OffsetMap::FindBlock(uint64_t ordinal, uint64_t& number) const {
  const uint8_t* jumps = data_ + header_.jumps_at;
  const uint64_t k = ordinal / kJumpRecords;
  uint64_t low = LoadLe32(jumps + 4 * k);
  const uint64_t high = k + 1 < JumpCount(header_.records) ? LoadLe32(jumps + 4 * (k + 1)) : header_.blocks - 1;
  if (low > high || high >= header_.blocks) return false;
  for (int step = 0; step < 2; ++step) {
    const uint64_t next = std::min(low + 1, high);
    low = LoadLe64(BlockEntry(next)) <= ordinal ? next : low;
  }
  const uint64_t next = std::min(low + 1, high);
  const bool further = (next != low) & (LoadLe64(BlockEntry(next)) <= ordinal);
  if (further) [[unlikely]]
    low = SearchBlocks(ordinal, next, high);
  number = low;
  return true;
}

}  // namespace ofindex
