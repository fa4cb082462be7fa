#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
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

  /// Place of record `ordinal`, less than records(). O(1); two cache misses in a large map.
  /// Errors: kIndex  the map is damaged.
  [[nodiscard]] Result<Place> Find(uint64_t ordinal) const;

  /// The same where nothing needs a second look, in some sixty instructions, so that the processor overlaps the cache
  /// misses of several records. Returns false for the first record asked of a block, for bad records, and wherever
  /// Find would fail: then ask Find.
  [[nodiscard]] bool TryFind(uint64_t ordinal, Place& place) const;

  /// Shard `shard`, less than shards(); its path views the map. Errors: kIndex.
  [[nodiscard]] Result<MapShard> Shard(uint64_t shard) const;

  /// Bytes at the front of every shard's path that name the folder they all lie in, "train/" for example.
  [[nodiscard]] uint64_t data_dir_bytes() const { return header_.data_dir_bytes; }

 private:
  OffsetMap() = default;

  [[nodiscard]] Result<void> CheckLayout() const;
  [[nodiscard]] bool FindBlock(uint64_t ordinal, uint64_t& block) const;
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
// between them. Blocks of a well-filled dataset hold 65,536 records, so the two are neighbours.
inline bool OffsetMap::FindBlock(uint64_t ordinal, uint64_t& block) const {
  const uint8_t* jumps = data_ + header_.jumps_at;
  const uint64_t k = ordinal / kJumpRecords;
  uint64_t low = LoadLe32(jumps + 4 * k);
  uint64_t high = k + 1 < JumpCount(header_.records) ? LoadLe32(jumps + 4 * (k + 1)) : header_.blocks - 1;
  if (low > high || high >= header_.blocks) return false;
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (LoadLe64(BlockEntry(middle)) <= ordinal) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  block = low;
  return true;
}

inline bool OffsetMap::TryFind(uint64_t ordinal, Place& place) const {
  uint64_t number = 0;
  if (!FindBlock(ordinal, number) || !checked_[number].load(std::memory_order_acquire)) return false;
  MapBlock block;
  block.Decode(BlockEntry(number));
  const uint64_t record = ordinal - block.first_record;
  if (record >= block.records || block.bad != 0) return false;
  const PackedOffsets::Extent extent = PackedOffsets(data_ + block.packed_at).At(static_cast<uint32_t>(record));
  if (extent.begin > extent.end || extent.begin < block.begin || extent.end > block.end) return false;
  place = {.shard = block.shard, .bad_reason = 0, .begin = extent.begin, .end = extent.end};
  return true;
}

}  // namespace ofindex
