#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/files/map_patches.h"
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

// Reads blocks and cells, as readers of many records do.
void ReadBlocksOf(const OffsetMap& map) {
  const uint64_t blocks = std::min(map.header().blocks, kMostFound);
  for (uint64_t number = 0; number < blocks; ++number) {
    const Result<OffsetMap::CheckedBlock> block = map.Block(number);
    if (!IsThere(block)) continue;
    const ByteView frames(block->frames, PackedOffsets::FramesBytes(block->block.records));
    Expect(PackedOffsets::Sound(frames, block->block.packed_bytes, block->block.records), "a block of unsound offsets");
  }
  if (blocks < map.header().blocks) return;
  std::vector<std::atomic<uint64_t>> first_records(map.header().blocks);
  OffsetMap::Cell cell{};
  const bool is_sound = map.records() != 0 && map.ReadCell(0, first_records.data(), cell);
  Expect(!is_sound || (cell.first <= cell.last && cell.last < map.header().blocks),
         "a cell of blocks that do not exist");
}

// Changes the file of an open map.
void Rewrite(const MemoryFile& file, size_t size, FuzzInput& input) {
  if (input.Below(2) == 0) file.CutTo(input.Number(2) % (size + 1));
  file.Overwrite(input.Number(2), input.Bytes(1 + input.Below(8)));
}

}  // namespace

// The second byte says whether blocks are copied, and whether the map is rewritten once it is open.
void CheckMap(ByteView bytes) {
  FuzzInput input(bytes);
  const size_t patches = input.Below(6);
  const uint8_t choices = input.Byte();
  const uint64_t copied = choices % 2 == 0 ? 0 : kCopiedMapBytes;
  std::vector<uint8_t> map_bytes = WrittenMap(input);
  for (size_t i = 0; i < patches; ++i) PatchMap(map_bytes, input);
  const MemoryFile file(map_bytes);
  const Result<OffsetMap> map = OffsetMap::Open(file.path(), "input.ofidx-map", copied);
  Expect(patches != 0 || map.has_value(), "a written map does not open");
  if (!IsThere(map)) return;
  const bool is_rewritten = choices >= 128;
  if (is_rewritten) Rewrite(file, map_bytes.size(), input);
  FindAllIn(*map, patches != 0 || is_rewritten);
  ReadBlocksOf(*map);
}

}  // namespace ofindex
