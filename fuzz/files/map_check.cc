#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/offsets/offset_map_format.h"
#include "mmap/offsets/offset_map_writer.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

constexpr uint64_t kMostFound = 300;

// A small map, or one whose tables refer to anything: `input` decides.
std::vector<uint8_t> WrittenMap(FuzzInput& input) {
  return BytesWritten([&](OutputFile out) -> Result<void> {
    OFINDEX_ASSIGN(OffsetMapWriter writer, OffsetMapWriter::Begin(std::move(out)));
    uint64_t records = 0;
    const auto shards = static_cast<uint32_t>(1 + input.Below(3));
    for (uint32_t shard = 0; shard < shards; ++shard) {
      const uint64_t first = records;
      if (input.Below(4) == 0) {
        records += 5;
        writer.AddShard(
            {.path = StrCat("train/part-", shard), .identity = {}, .first_record = first, .records = 5, .gone = true});
        continue;
      }
      const bool compressed = input.Below(3) == 0;
      if (compressed) {
        const std::vector<uint8_t> window = StoreWindow(0, 80, {});
        OFINDEX_TRY(writer.AddCheckpoint({.position = 0, .bit = 80, .stored = window}));
      }
      uint64_t begin = 0;
      for (size_t blocks = input.Below(4); blocks > 0; --blocks) {
        std::vector<uint64_t> boundaries = {begin};
        for (size_t n = 1 + input.Below(40); n > 0; --n)
          boundaries.push_back(boundaries.back() + 16 + input.Below(200));
        const auto count = static_cast<uint32_t>(boundaries.size() - 1);
        const std::vector<uint32_t> bad(input.Below(4) == 0 ? 1 : 0, uint32_t{1} << 16);
        begin = boundaries.back();
        OFINDEX_TRY(writer.AddBlock({.first_record = records,
                                     .begin = boundaries.front(),
                                     .end = boundaries.back(),
                                     .records = count,
                                     .shard = shard},
                                    PackOffsets(boundaries), bad));
        records += count;
      }
      writer.AddShard({.path = StrCat("train/part-", shard),
                       .framing = Framing::kTfRecord,
                       .payload = PayloadKind::kExample,
                       .identity = {{.size = begin, .mtime_ns = 1}, 7},
                       .first_record = first,
                       .records = records - first,
                       .compression = compressed ? Compression::kGzip : Compression::kNone,
                       .inflated_bytes = compressed ? begin : 0});
    }
    MapHeader header;
    header.data_dir_bytes = 6;
    header.records = records;
    return writer.Finish(header);
  });
}

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

bool IsSamePlace(const OffsetMap::Place& a, const OffsetMap::Place& b) {
  return a.shard == b.shard && a.bad_reason == b.bad_reason && a.begin == b.begin && a.end == b.end &&
         a.block == b.block;
}

// Looks up records one by one and all at once. Opening a map does not read all of its blocks, so blocks that overlap
// under correct checksums are found by CheckAll alone, which `verify` calls; until then a forged map may name any place
// in a shard that it has, and both ways may find different ones. A map that passes CheckAll must give one place only.
void FindAllIn(const OffsetMap& map, bool is_patched) {
  const bool is_consistent = IsThere(map.CheckAll());
  Expect(is_patched || is_consistent, "a written map is damaged");
  const uint64_t count = std::min(map.records(), kMostFound);
  std::vector<uint64_t> ordinals;
  std::vector<OffsetMap::Place> alone;
  for (uint64_t i = 0; i < count; ++i) {
    ordinals.push_back(i % 2 == 0 ? i : map.records() - 1 - i);
    const Result<OffsetMap::Place> place = map.Find(ordinals.back());
    Expect(is_patched || place.has_value() || place.error().code == ErrorCode::kOutOfRange, "a sound map fails");
    if (!IsThere(place)) {
      ordinals.pop_back();
      continue;
    }
    Expect(place->begin <= place->end && place->shard < map.shards(), "a record in no shard");
    alone.push_back(*place);
  }
  std::vector<OffsetMap::Place> together(ordinals.size());
  const bool all = IsThere(map.Find(ordinals, together));
  Expect(is_patched || all, "a sound map fails");
  for (size_t i = 0; all && is_consistent && i < ordinals.size(); ++i) {
    Expect(IsSamePlace(alone[i], together[i]), "record ", ordinals[i], " is in two places");
  }
  for (uint64_t i = 0; i < std::min<uint64_t>(map.shards(), kMostFound); ++i) {
    const Result<MapShard> shard = map.Shard(i);
    if (!IsThere(shard) || shard->compression == Compression::kNone) continue;
    const auto checkpoints = map.CheckpointsOf(i);
    if (!IsThere(checkpoints)) continue;
    for (size_t p = 0; p < std::min<size_t>((*checkpoints)->size(), 8); ++p) {
      const Result<Checkpoint> checkpoint = (*checkpoints)->At(p);
      if (IsThere(checkpoint)) static_cast<void>(WindowOf(*checkpoint));
    }
  }
}

}  // namespace

void CheckMap(ByteView bytes) {
  FuzzInput input(bytes);
  const size_t patches = input.Below(6);
  const uint64_t copied = input.Below(2) == 0 ? 0 : kCopiedMapBytes;
  std::vector<uint8_t> map_bytes = WrittenMap(input);
  for (size_t i = 0; i < patches; ++i) PatchMap(map_bytes, input);
  const MemoryFile file(map_bytes);
  const Result<OffsetMap> map = OffsetMap::Open(file.path(), "input.ofidx-map", copied);
  Expect(patches != 0 || map.has_value(), "a written map does not open");
  if (!IsThere(map)) return;
  FindAllIn(*map, patches != 0);
}

}  // namespace ofindex
