#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/offsets/offset_map_writer.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/mmap/offsets/opened_map.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint32_t kPartRecords = kJumpRecords / 2;  // of each block, and of each shard
constexpr uint32_t kParts = 5;

/// Writes a map of compressed shards, with one block and one checkpoint each. Its jumps lead to blocks 0, 2 and 4.
void WriteCompressedMap(const std::string& path) {
  auto writer = OffsetMapWriter::Begin(OutputFile::Create(path).value());
  REQUIRE(writer);
  const std::vector<uint8_t> packed = PackOffsets(std::vector<uint64_t>(kPartRecords + 1));
  for (uint32_t i = 0; i < kParts; ++i) {
    const uint64_t first = uint64_t{i} * kPartRecords;
    REQUIRE(writer->AddBlock({.first_record = first, .records = kPartRecords, .shard = i}, packed, {}));
    REQUIRE(writer->AddCheckpoint({.position = 0, .bit = 8 * i, .stored = StoreWindow(0, 8 * i, {})}));
    writer->AddShard({.path = StrCat("part-", i),
                      .framing = Framing::kTfRecord,
                      .identity = {},
                      .first_record = first,
                      .records = kPartRecords,
                      .compression = Compression::kGzip,
                      .inflated_bytes = 1000 + i});
  }
  REQUIRE(writer->Finish({}));
}

/// The bytes of a map, of which entries can be changed. Each then has the right checksum.
class ForgedMap {
 public:
  explicit ForgedMap(std::string bytes) : bytes_(std::move(bytes)) { REQUIRE(header_.Decode(At(0))); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  void ChangeBlock(uint64_t number, const std::function<void(MapBlock&)>& change) {
    uint8_t* const entry = At(header_.blocks_at + number * kMapEntryBytes);
    MapBlock block;
    block.Decode(entry);
    change(block);
    block.Encode({At(block.packed_at), block.stored_bytes()}, entry);
  }

  void ChangeShard(uint64_t number, const std::function<void(MapShard&)>& change) {
    uint8_t* const entry = At(header_.shards_at + number * kMapShardBytes);
    const MapName name = NameOfMapShard(entry);
    MapShard shard;
    REQUIRE(DecodeMapShard(entry, bytes_.substr(header_.names_at + name.at, name.bytes), shard));
    change(shard);
    EncodeMapShard(shard, name.at, entry);
  }

  void ChangeStream(uint64_t number, const std::function<void(MapStream&)>& change) {
    uint8_t* const entry = At(header_.streams_at + number * kMapEntryBytes);
    MapStream stream;
    REQUIRE(stream.Decode(entry));
    change(stream);
    stream.Encode(entry);
  }

  void ChangePoint(uint64_t number, const std::function<void(MapPoint&)>& change) {
    uint8_t* const entry = At(header_.points_at + number * kMapPointBytes);
    MapPoint point;
    point.Decode(entry);
    change(point);
    point.Encode(entry);
  }

  void SetJump(uint64_t number, uint32_t block) { StoreLe32(At(header_.jumps_at + 4 * number), block); }

 private:
  uint8_t* At(uint64_t offset) { return reinterpret_cast<uint8_t*>(bytes_.data()) + offset; }

  std::string bytes_;
  MapHeader header_;
};

TEST_CASE("the checkpoints of each compressed shard are found") {
  const TempDir dir;
  WriteCompressedMap(dir / "map");
  const OffsetMap map = OpenedMap(dir / "map");
  for (uint64_t shard = 0; shard < kParts; ++shard) {
    const auto found = map.Shard(shard);
    REQUIRE(found);
    CHECK(found->inflated_bytes == 1000 + shard);
    const auto points = map.CheckpointsOf(shard);
    REQUIRE(points);
    REQUIRE((*points)->size() == 1);
    CHECK((*points)->At(0)->bit == 8 * shard);
  }
}

TEST_CASE("a map of which any entry contradicts the others is damaged, even if each checksum is right") {
  struct Row {
    std::string message;
    std::function<void(ForgedMap&)> forge;
  };
  const std::vector<Row> rows = {
      {"the block does not follow the one before it",
       [](ForgedMap& map) { map.ChangeBlock(3, [](MapBlock& block) { block.first_record -= 1; }); }},
      {"the block does not follow the one before it",
       [](ForgedMap& map) { map.ChangeBlock(4, [](MapBlock& block) { block.first_record += 1; }); }},
      {"the blocks and the header differ in the number of records",
       [](ForgedMap& map) { map.ChangeBlock(4, [](MapBlock& block) { block.records -= 1; }); }},
      {"the jump table is damaged", [](ForgedMap& map) { map.SetJump(1, 1); }},
      {"the jump table is damaged", [](ForgedMap& map) { map.SetJump(1, 3); }},
      {"the shard does not follow the one before it",
       [](ForgedMap& map) { map.ChangeShard(3, [](MapShard& shard) { shard.first_record += 1; }); }},
      {"the shards and the header differ in the number of records",
       [](ForgedMap& map) { map.ChangeShard(4, [](MapShard& shard) { shard.records -= 1; }); }},
      {"the shards and the header differ in the number of records",
       [](ForgedMap& map) { map.ChangeShard(4, [](MapShard& shard) { shard.gone = true; }); }},
      {"the checkpoints of a shard lie outside their table",
       [](ForgedMap& map) { map.ChangeStream(4, [](MapStream& stream) { stream.points = 2; }); }},
      {"the checksum of a checkpoint is wrong",
       [](ForgedMap& map) { map.ChangePoint(4, [](MapPoint& point) { point.bit += 1; }); }},
      {"a checkpoint lies outside the map",
       [](ForgedMap& map) { map.ChangePoint(4, [&](MapPoint& point) { point.stored_at = map.bytes().size() - 1; }); }},
  };
  const TempDir dir;
  WriteCompressedMap(dir / "map");
  const std::string sound = ReadFile(dir / "map");
  REQUIRE(OpenedMap(dir / "map").CheckAll());
  for (const Row& row : rows) {
    CAPTURE(row.message);
    ForgedMap forged(sound);
    row.forge(forged);
    WriteFile(dir / "map", forged.bytes());
    const auto checked = OpenedMap(dir / "map").CheckAll();
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kIndex);
    CHECK_MESSAGE(checked.error().message.ends_with(": " + row.message), checked.error().message);
  }
}

}  // namespace
}  // namespace ofindex
