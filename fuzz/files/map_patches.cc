#include "fuzz/files/map_patches.h"

#include <array>
#include <string>

#include "mmap/offsets/offset_map.h"
#include "mmap/offsets/offset_map_format.h"

namespace ofindex {
namespace {

// Sets a field of the header, under a correct checksum.
void PatchHeader(std::vector<uint8_t>& bytes, FuzzInput& input) {
  static constexpr std::array kFields = {
      &MapHeader::records,    &MapHeader::shards,      &MapHeader::blocks,         &MapHeader::payload_bytes,
      &MapHeader::names_at,   &MapHeader::names_bytes, &MapHeader::shards_at,      &MapHeader::blocks_at,
      &MapHeader::jumps_at,   &MapHeader::file_bytes,  &MapHeader::data_dir_bytes, &MapHeader::streams,
      &MapHeader::streams_at, &MapHeader::points,      &MapHeader::points_at,      &MapHeader::live};
  MapHeader header;
  if (!header.Decode(bytes.data())) return;
  uint64_t& field = header.*kFields[input.Below(kFields.size())];
  field = input.Below(2) == 0 ? field + input.Number(1) - 128 : input.Number(8);
  header.Encode(bytes.data());
}

// Sets a field of a block, under a correct checksum.
void PatchBlock(std::vector<uint8_t>& bytes, FuzzInput& input) {
  MapHeader header;
  if (!header.Decode(bytes.data()) || header.blocks == 0) return;
  const uint64_t at = header.blocks_at + input.Byte() % header.blocks * kMapEntryBytes;
  if (!Fits(at, kMapEntryBytes, bytes.size())) return;
  MapBlock block;
  block.Decode(bytes.data() + at);
  const size_t field = input.Below(8);
  const uint64_t value = input.Below(2) == 0 ? input.Number(1) : input.Number(8);
  const auto narrow = static_cast<uint32_t>(value);
  switch (field) {
    case 0: block.first_record = value; break;
    case 1: block.begin = value; break;
    case 2: block.end = value; break;
    case 3: block.packed_at = value; break;
    case 4: block.packed_bytes = narrow; break;
    case 5: block.records = narrow; break;
    case 6: block.shard = narrow; break;
    default: block.bad = narrow;
  }
  if (!Fits(block.packed_at, block.stored_bytes(), bytes.size())) return;
  block.Encode(ByteView(bytes).subspan(block.packed_at, block.stored_bytes()), bytes.data() + at);
}

// Sets a byte of what a block stores, under a correct checksum: a frame, an offset, a bad record.
void PatchStored(std::vector<uint8_t>& bytes, FuzzInput& input) {
  MapHeader header;
  if (!header.Decode(bytes.data()) || header.blocks == 0) return;
  const uint64_t at = header.blocks_at + input.Byte() % header.blocks * kMapEntryBytes;
  if (!Fits(at, kMapEntryBytes, bytes.size())) return;
  MapBlock block;
  block.Decode(bytes.data() + at);
  if (block.stored_bytes() == 0 || !Fits(block.packed_at, block.stored_bytes(), bytes.size())) return;
  bytes[block.packed_at + input.Number(2) % block.stored_bytes()] = input.Byte();
  block.Encode(ByteView(bytes).subspan(block.packed_at, block.stored_bytes()), bytes.data() + at);
}

// Sets a field of a shard or of a compressed shard, under a correct checksum.
void PatchShard(std::vector<uint8_t>& bytes, FuzzInput& input) {
  MapHeader header;
  if (!header.Decode(bytes.data()) || header.shards == 0) return;
  const uint64_t at = header.shards_at + input.Byte() % header.shards * kMapShardBytes;
  if (!Fits(at, kMapShardBytes, bytes.size())) return;
  const MapName name = NameOfMapShard(bytes.data() + at);
  if (!Fits(header.names_at, name.at, bytes.size()) || !Fits(header.names_at + name.at, name.bytes, bytes.size()))
    return;
  MapShard shard;
  const ByteView path = ByteView(bytes).subspan(header.names_at + name.at, name.bytes);
  if (!DecodeMapShard(bytes.data() + at, std::string(AsText(path)), shard)) return;
  const size_t field = input.Below(5);
  const uint64_t value = input.Below(2) == 0 ? input.Number(1) : input.Number(8);
  switch (field) {
    case 0: shard.first_record = value; break;
    case 1: shard.records = value; break;
    case 2: shard.identity.size = value; break;
    case 3: shard.compression = static_cast<Compression>(value & 3); break;
    default: shard.gone = (value & 1) != 0;
  }
  EncodeMapShard(shard, name.at, bytes.data() + at);
}

void PatchStream(std::vector<uint8_t>& bytes, FuzzInput& input) {
  MapHeader header;
  if (!header.Decode(bytes.data()) || header.streams == 0) return;
  const uint64_t at = header.streams_at + input.Byte() % header.streams * kMapEntryBytes;
  MapStream stream;
  if (!Fits(at, kMapEntryBytes, bytes.size()) || !stream.Decode(bytes.data() + at)) return;
  const uint64_t value = input.Below(2) == 0 ? input.Number(1) : input.Number(8);
  switch (input.Below(4)) {
    case 0: stream.shard = static_cast<uint32_t>(value); break;
    case 1: stream.inflated_bytes = value; break;
    case 2: stream.first_point = value; break;
    default: stream.points = value;
  }
  stream.Encode(bytes.data() + at);
}

}  // namespace

void PatchMap(std::vector<uint8_t>& bytes, FuzzInput& input) {
  switch (input.Below(6)) {
    case 0: return PatchHeader(bytes, input);
    case 1: return PatchBlock(bytes, input);
    case 2: return PatchStored(bytes, input);
    case 3: return PatchShard(bytes, input);
    case 4: return PatchStream(bytes, input);
    default: {
      const uint64_t at = input.Number(2) % bytes.size();
      bytes[at] = input.Byte();
    }
  }
}

}  // namespace ofindex
