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
//   packed   per block its packed offsets, then its bad records: read and checked when the block is first touched; in
//            between, the windows of checkpoints
//   names    the shards' paths, one after the other
//   shards   an entry of 80 bytes each
//   blocks   an entry of 64 bytes each, by first record
//   jumps    u32 per 65,536 records: the block that holds record 65,536 * k
//   streams  an entry of 64 bytes for each compressed shard, by shard
//   points   an entry of 32 bytes for each of their checkpoints
//
// Every entry carries a checksum of itself and of the bytes that it points to, so that opening costs the same whatever
// the number of records and shards, and no flipped bit of any part goes unnoticed when that part is used.

inline constexpr std::array<char, 8> kMapMagic = {'O', 'F', 'I', 'D', 'X', 'M', 'A', 'P'};
inline constexpr uint32_t kMapVersion = 3;
inline constexpr uint64_t kMapHeaderBytes = 256;
inline constexpr uint64_t kMapShardBytes = 80;
inline constexpr uint64_t kMapEntryBytes = 64;  ///< of blocks and streams
inline constexpr uint64_t kMapPointBytes = 32;
inline constexpr uint64_t kJumpRecords = 65536;

/// What the header of a map says. Offsets are of the map file.
struct MapHeader {
  Digest128 index_id{};        ///< id of the index that the map was derived from
  uint64_t index_binding = 0;  ///< hash of that index file's head and size: another build's index has another
  uint64_t records = 0;
  uint64_t shards = 0;
  uint64_t blocks = 0;
  uint64_t payload_bytes = 0;
  uint64_t names_at = 0;
  uint64_t names_bytes = 0;
  uint64_t shards_at = 0;
  uint64_t blocks_at = 0;
  uint64_t jumps_at = 0;
  uint64_t file_bytes = 0;
  uint64_t data_dir_bytes = 0;  ///< how much of every shard's path is the folder that all of them share
  uint64_t streams = 0;         ///< compressed shards
  uint64_t streams_at = 0;
  uint64_t points = 0;  ///< checkpoints of them all
  uint64_t points_at = 0;

  void Encode(uint8_t* out) const;

  /// False if the bytes are no header of this version, or were changed.
  [[nodiscard]] bool Decode(const uint8_t* in);
};

/// One shard in the map.
struct MapShard {
  std::string path;  ///< relative to the index
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  ShardIdentity identity;
  uint64_t first_record = 0;
  uint64_t records = 0;
  Compression compression = Compression::kNone;
  uint64_t inflated_bytes = 0;  ///< of a compressed shard
};

/// What the map says of a compressed shard, beside its entry among the shards.
struct MapStream {
  uint32_t shard = 0;
  uint64_t inflated_bytes = 0;
  uint64_t first_point = 0;  ///< among all points
  uint64_t points = 0;

  void Encode(uint8_t* out) const;

  /// False if the entry was changed.
  [[nodiscard]] bool Decode(const uint8_t* in);
};

/// A checkpoint in the map. What it points to has a checksum that covers the entry, too (mmap/inflate/checkpoint.h).
struct MapPoint {
  uint64_t position = 0;
  uint64_t bit = 0;
  uint64_t stored_at = 0;  ///< of the map file
  uint32_t stored_bytes = 0;

  void Encode(uint8_t* out) const;
  void Decode(const uint8_t* in);
};

/// One block in the map.
struct MapBlock {
  uint64_t first_record = 0;
  uint64_t begin = 0;         ///< of the shard: where its first record begins
  uint64_t end = 0;           ///< of the shard: where its last record ends
  uint64_t packed_at = 0;     ///< of the map file
  uint32_t packed_bytes = 0;  ///< of packed offsets; the list of bad records follows them
  uint32_t records = 0;
  uint32_t shard = 0;
  uint32_t bad = 0;  ///< number of bad records: u32 each, low half the record of the block, high half the reason

  [[nodiscard]] uint64_t stored_bytes() const { return uint64_t{packed_bytes} + uint64_t{bad} * 4; }

  /// `stored` are the block's stored_bytes(), which the entry's checksum covers too.
  void Encode(ByteView stored, uint8_t* out) const;
  void Decode(const uint8_t* in);
  /// The stored bytes are given as two pieces, of which either may be all.
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

/// Where in the map's section of names the name of a shard lies, as its entry says.
struct MapName {
  uint64_t at;
  uint32_t bytes;
};
[[nodiscard]] MapName NameOfMapShard(const uint8_t* in);

/// False if the entry or its name was changed.
[[nodiscard]] bool DecodeMapShard(const uint8_t* in, std::string name, MapShard& shard);

}  // namespace ofindex
