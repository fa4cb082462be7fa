#include "mmap/offsets/offset_map_format.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ofindex {
namespace {

constexpr uint64_t kHeaderChecksumAt = kMapHeaderBytes - 8;
constexpr uint64_t kEntryChecksumAt = kMapEntryBytes - 8;

// The offset of each 64-bit field of the header, shared by both directions.
constexpr std::array kHeaderFields = {
    &MapHeader::index_binding, &MapHeader::records,    &MapHeader::shards,      &MapHeader::blocks,
    &MapHeader::payload_bytes, &MapHeader::names_at,   &MapHeader::names_bytes, &MapHeader::shards_at,
    &MapHeader::blocks_at,     &MapHeader::jumps_at,   &MapHeader::file_bytes,  &MapHeader::data_dir_bytes,
    &MapHeader::streams,       &MapHeader::streams_at, &MapHeader::points,      &MapHeader::points_at,
    &MapHeader::live,
};
constexpr uint64_t kHeaderFieldsAt = 32;

constexpr uint64_t kShardChecksumAt = kMapShardBytes - 8;

uint64_t EntryChecksum(const uint8_t* entry, ByteView more, ByteView rest = {},
                       uint64_t checksum_at = kEntryChecksumAt) {
  Xxh3Stream hash;
  hash.Add(ByteView(entry, checksum_at));
  hash.Add(more);
  hash.Add(rest);
  return hash.Digest64();
}

}  // namespace

void MapHeader::Encode(uint8_t* out) const {
  std::fill_n(out, kMapHeaderBytes, uint8_t{0});
  std::copy(kMapMagic.begin(), kMapMagic.end(), out);
  StoreLe32(out + 8, kMapVersion);
  std::copy(index_id.begin(), index_id.end(), out + 16);
  for (size_t i = 0; i < kHeaderFields.size(); ++i) StoreLe64(out + kHeaderFieldsAt + 8 * i, this->*kHeaderFields[i]);
  StoreLe64(out + kHeaderChecksumAt, Xxh3(ByteView(out, kHeaderChecksumAt)));
}

bool MapHeader::Decode(const uint8_t* in) {
  if (!std::equal(kMapMagic.begin(), kMapMagic.end(), in) || LoadLe32(in + 8) != kMapVersion) return false;
  if (LoadLe64(in + kHeaderChecksumAt) != Xxh3(ByteView(in, kHeaderChecksumAt))) return false;
  std::copy_n(in + 16, index_id.size(), index_id.begin());
  for (size_t i = 0; i < kHeaderFields.size(); ++i) this->*kHeaderFields[i] = LoadLe64(in + kHeaderFieldsAt + 8 * i);
  return true;
}

void MapBlock::Encode(ByteView stored, uint8_t* out) const {
  StoreLe64(out, first_record);
  StoreLe64(out + 8, begin);
  StoreLe64(out + 16, end);
  StoreLe64(out + 24, packed_at);
  StoreLe32(out + 32, packed_bytes);
  StoreLe32(out + 36, records);
  StoreLe32(out + 40, shard);
  StoreLe32(out + 44, bad);
  StoreLe64(out + 48, 0);
  StoreLe64(out + kEntryChecksumAt, EntryChecksum(out, stored));
}

bool MapBlock::ChecksumHolds(const uint8_t* in, ByteView stored, ByteView rest) {
  return LoadLe64(in + kEntryChecksumAt) == EntryChecksum(in, stored, rest);
}

void MapStream::Encode(uint8_t* out) const {
  StoreLe64(out, shard);
  StoreLe64(out + 8, inflated_bytes);
  StoreLe64(out + 16, first_point);
  StoreLe64(out + 24, points);
  std::fill(out + 32, out + kEntryChecksumAt, uint8_t{0});
  StoreLe64(out + kEntryChecksumAt, EntryChecksum(out, {}));
}

bool MapStream::Decode(const uint8_t* in) {
  shard = LoadLe32(in);
  inflated_bytes = LoadLe64(in + 8);
  first_point = LoadLe64(in + 16);
  points = LoadLe64(in + 24);
  return LoadLe64(in + kEntryChecksumAt) == EntryChecksum(in, {});
}

void MapPoint::Encode(uint8_t* out) const {
  StoreLe64(out, position);
  StoreLe64(out + 8, bit);
  StoreLe64(out + 16, stored_at);
  StoreLe64(out + 24, stored_bytes);
}

void MapPoint::Decode(const uint8_t* in) {
  position = LoadLe64(in);
  bit = LoadLe64(in + 8);
  stored_at = LoadLe64(in + 16);
  stored_bytes = LoadLe32(in + 24);
}

void EncodeMapShard(const MapShard& shard, uint64_t name_at, uint8_t* out) {
  StoreLe64(out, name_at);
  StoreLe32(out + 8, static_cast<uint32_t>(shard.path.size()));
  StoreLe32(out + 12, static_cast<uint32_t>(shard.framing) | static_cast<uint32_t>(shard.payload) << 8 |
                          static_cast<uint32_t>(shard.compression) << 16 | static_cast<uint32_t>(shard.gone) << 24);
  StoreLe64(out + 16, shard.identity.size);
  StoreLe64(out + 24, static_cast<uint64_t>(shard.identity.mtime_ns));
  StoreLe64(out + 32, shard.identity.fingerprint);
  StoreLe64(out + 40, shard.first_record);
  StoreLe64(out + 48, shard.records);
  StoreLe64(out + 56, static_cast<uint64_t>(shard.identity.ctime_ns));
  StoreLe64(out + 64, shard.identity.inode);
  StoreLe64(out + kShardChecksumAt, EntryChecksum(out, AsBytes(shard.path), {}, kShardChecksumAt));
}

MapName NameOfMapShard(const uint8_t* in) { return {.at = LoadLe64(in), .bytes = LoadLe32(in + 8)}; }

bool DecodeMapShard(const uint8_t* in, std::string name, MapShard& shard) {
  if (LoadLe64(in + kShardChecksumAt) != EntryChecksum(in, AsBytes(name), {}, kShardChecksumAt)) return false;
  shard = {.path = std::move(name),
           .framing = static_cast<Framing>(in[12]),
           .payload = static_cast<PayloadKind>(in[13]),
           .identity = {{.size = LoadLe64(in + 16),
                         .mtime_ns = static_cast<int64_t>(LoadLe64(in + 24)),
                         .ctime_ns = static_cast<int64_t>(LoadLe64(in + 56)),
                         .inode = LoadLe64(in + 64)},
                        LoadLe64(in + 32)},
           .first_record = LoadLe64(in + 40),
           .records = LoadLe64(in + 48),
           .compression = static_cast<Compression>(in[14]),
           .gone = in[15] != 0};
  return true;
}

}  // namespace ofindex
