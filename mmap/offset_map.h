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

}  // namespace ofindex
