#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/record.h"
#include "base/shard_identity.h"

namespace ofindex {

// The bytes of NAME.ofidx-map (docs/index_format.md, with a worked example):
//
//   header   256 bytes, checksummed, read at open
//   packed   for each block its packed offsets, then its bad records: read and checked when the block is first used;
//            in between, the windows of checkpoints
//   names    the shards' paths, one after the other
//   shards   80 bytes per shard
//   blocks   64 bytes per block, by first record; ordinals in no block belong to records that are gone
//   jumps    u32 per 65,536 ordinals: the last block that begins at or before ordinal 65,536 * k, 0 if there is none
//   streams  64 bytes per compressed shard, by shard
//   points   32 bytes per checkpoint of those shards
//
// Every entry carries a checksum over itself and the bytes it points to, so that opening costs the same for any number
// of records and shards, and a flipped bit in any part is noticed when that part is used.

inline constexpr std::array<char, 8> kMapMagic = {'O', 'F', 'I', 'D', 'X', 'M', 'A', 'P'};
inline constexpr uint32_t kMapVersion = 4;
inline constexpr uint64_t kMapHeaderBytes = 256;
inline constexpr uint64_t kMapShardBytes = 80;
inline constexpr uint64_t kMapEntryBytes = 64;  ///< size of the entry of a block or a stream
inline constexpr uint64_t kMapPointBytes = 32;
inline constexpr uint64_t kJumpRecords = 65536;

/// Returns the number of jumps in a map whose ordinals end at `records`.
[[nodiscard]] constexpr uint64_t JumpCount(uint64_t records) {
  return records / kJumpRecords + (records % kJumpRecords != 0 ? 1 : 0);
}

/// The header of a map. Offsets are in the map file.
struct MapHeader {
  Digest128 index_id{};        ///< id of the index that the map was derived from
  uint64_t index_binding = 0;  ///< hash of that index file's size and first 128 KiB: differs for another build's index
  uint64_t records = 0;        ///< end of the ordinals, those of records that are gone included
  uint64_t shards = 0;
  uint64_t blocks = 0;
  uint64_t payload_bytes = 0;
  uint64_t names_at = 0;
  uint64_t names_bytes = 0;
  uint64_t shards_at = 0;
  uint64_t blocks_at = 0;
  uint64_t jumps_at = 0;
  uint64_t file_bytes = 0;
  uint64_t data_dir_bytes = 0;  ///< length of the shards' common folder, with which each of their paths begins
  uint64_t streams = 0;         ///< number of compressed shards
  uint64_t streams_at = 0;
  uint64_t points = 0;  ///< number of checkpoints of all compressed shards
  uint64_t points_at = 0;
  uint64_t live = 0;  ///< number of records that are not gone

  void Encode(uint8_t* out) const;

  /// Returns false if the bytes are not a header of this version, or were changed.
  [[nodiscard]] bool Decode(const uint8_t* in);
};

/// The entry of a shard.
struct MapShard {
  std::string path;  ///< relative to the index
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  ShardIdentity identity;
  uint64_t first_record = 0;
  uint64_t records = 0;
  Compression compression = Compression::kNone;
  uint64_t inflated_bytes = 0;  ///< for a compressed shard
  bool gone = false;            ///< its records keep their ordinals, but no block holds them
};

/// The additional entry of a compressed shard.
struct MapStream {
  uint32_t shard = 0;
  uint64_t inflated_bytes = 0;
  uint64_t first_point = 0;  ///< index among all points
  uint64_t points = 0;

  void Encode(uint8_t* out) const;

  /// Returns false if the entry was changed.
  [[nodiscard]] bool Decode(const uint8_t* in);
};

/// The entry of a checkpoint. The stored bytes have a checksum that also covers the entry (mmap/inflate/checkpoint.h).
struct MapPoint {
  uint64_t position = 0;
  uint64_t bit = 0;
  uint64_t stored_at = 0;  ///< offset in the map file
  uint32_t stored_bytes = 0;

  void Encode(uint8_t* out) const;
  void Decode(const uint8_t* in);
};

/// The entry of a block.
struct MapBlock {
  uint64_t first_record = 0;
  uint64_t begin = 0;         ///< offset in the shard at which its first record begins
  uint64_t end = 0;           ///< offset in the shard at which its last record ends
  uint64_t packed_at = 0;     ///< offset in the map file
  uint32_t packed_bytes = 0;  ///< size of the packed offsets; the list of bad records follows them
  uint32_t records = 0;
  uint32_t shard = 0;
  uint32_t bad = 0;  ///< number of bad records: u32 each, low half the record in the block, high half the reason

  [[nodiscard]] uint64_t stored_bytes() const { return uint64_t{packed_bytes} + uint64_t{bad} * 4; }

  /// Encodes the entry. `stored` are the block's stored_bytes(), which the entry's checksum also covers.
  void Encode(ByteView stored, uint8_t* out) const;
  void Decode(const uint8_t* in);
  /// Returns true if the checksum holds. The stored bytes are passed in two pieces, one of which may be empty.
  [[nodiscard]] static bool ChecksumHolds(const uint8_t* in, ByteView stored, ByteView rest = {});
};

inline void MapBlock::Decode(const uint8_t* in) {
  first_record = LoadLe64(in);
  begin = LoadLe64(in + 8);
  end = LoadLe64(in + 16);
  packed_at = LoadLe64(in + 24);
  packed_bytes = LoadLe32(in + 32);
  records = LoadLe32(in + 36);
  shard = LoadLe32(in + 40);
  bad = LoadLe32(in + 44);
}

void EncodeMapShard(const MapShard& shard, uint64_t name_at, uint8_t* out);

/// The location of a shard's name in the map's names section, as recorded in its entry.
struct MapName {
  uint64_t at;
  uint32_t bytes;
};
[[nodiscard]] MapName NameOfMapShard(const uint8_t* in);

/// Returns false if the entry or its name was changed.
[[nodiscard]] bool DecodeMapShard(const uint8_t* in, std::string name, MapShard& shard);

}  // namespace ofindex
