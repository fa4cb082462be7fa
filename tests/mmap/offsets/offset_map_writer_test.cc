#include "mmap/offsets/offset_map_writer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/checksum.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

OffsetMapWriter Begun(const std::string& path) {
  auto writer = OffsetMapWriter::Begin(OutputFile::Create(path).value());
  REQUIRE(writer);
  return std::move(*writer);
}

std::string Sum(const std::string& bytes) { return Le64(Xxh3(AsBytes(bytes))); }

TEST_CASE("a small map has exactly the expected bytes") {
  const TempDir dir;
  OffsetMapWriter writer = Begun(dir / "map");
  // Two records of 10 bytes each at 20, the second bad, in the 50-byte file's inflated bytes.
  const std::vector<uint64_t> boundaries = {20, 30, 40};
  REQUIRE(writer.AddBlock({.begin = 20, .end = 40, .records = 2, .shard = 0}, PackOffsets(boundaries),
                          std::vector<uint32_t>{1 | 1 << 16}));
  const std::string window = "window";
  REQUIRE(writer.AddCheckpoint({.position = 7, .bit = 81, .stored = AsBytes(window)}));
  writer.AddShard({.path = "d/s",
                   .framing = Framing::kOfRecord,
                   .payload = PayloadKind::kExample,
                   .identity = {{.size = 50, .mtime_ns = -1, .ctime_ns = -2, .inode = 123}, 0x1122334455667788},
                   .first_record = 0,
                   .records = 2,
                   .compression = Compression::kZlib,
                   .inflated_bytes = 90});
  MapHeader given{.index_binding = 77, .payload_bytes = 4, .data_dir_bytes = 2};
  given.index_id.fill(0xab);
  REQUIRE(writer.Finish(given));

  const std::string frame = Le64(20) + Le64(10 * 4096) + Le32(24) + Le32(0);
  const std::string stored = frame + Le64(0) + Le32(0x00010001);
  const std::string shard = Le64(0) + Le32(3) + Le32(2 | 1 << 8 | 2 << 16) + Le64(50) + Le64(~uint64_t{0}) +
                            Le64(0x1122334455667788) + Le64(0) + Le64(2) + Le64(~uint64_t{1}) + Le64(123);
  const std::string block =
      Le64(0) + Le64(20) + Le64(40) + Le64(256) + Le32(32) + Le32(2) + Le32(0) + Le32(1) + Le64(0);
  std::string stream = Le64(0) + Le64(90) + Le64(0) + Le64(1);
  stream.resize(56);
  const std::string point = Le64(7) + Le64(81) + Le64(256 + 36) + Le64(6);
  const uint64_t names_at = 256 + 36 + 6, shards_at = names_at + 3, blocks_at = shards_at + 80,
                 jumps_at = blocks_at + 64;
  std::string header = "OFIDXMAP" + Le64(4) + std::string(16, '\xab') + Le64(77) + Le64(2) + Le64(1) + Le64(1) +
                       Le64(4) + Le64(names_at) + Le64(3) + Le64(shards_at) + Le64(blocks_at) + Le64(jumps_at) +
                       Le64(jumps_at + 4 + 64 + 32) + Le64(2) + Le64(1) + Le64(jumps_at + 4) + Le64(1) +
                       Le64(jumps_at + 4 + 64) + Le64(2);
  header.resize(248);
  CHECK(ReadFile(dir / "map") == header + Sum(header) + stored + window + "d/s" + shard + Sum(shard + "d/s") + block +
                                     Sum(block + stored) + Le32(0) + stream + Sum(stream) + point);
}

TEST_CASE("each jump leads to the last block that begins at or before its ordinal, or to the first block") {
  constexpr uint64_t kCell = kJumpRecords;
  struct Row {
    const char* what;
    std::vector<uint64_t> first_records;  // of blocks of 10 records
    uint64_t records;
    std::vector<uint32_t> jumps;
  };
  const Row rows[] = {
      {"no record", {}, 0, {}},
      {"the whole map is a hole", {}, 2 * kCell + 1, {0, 0, 0}},
      {"a hole at the beginning", {kCell + 5, kCell + 15}, kCell + 25, {0, 0}},
      {"a block at the edge of a cell", {0, kCell}, kCell + 10, {0, 1}},
      {"a block over the edge of a cell", {0, kCell - 3, kCell + 7}, kCell + 17, {0, 1}},
      {"blocks that begin after the edge of a cell", {0, kCell + 1, 3 * kCell + 1}, 3 * kCell + 11, {0, 0, 1, 1}},
      {"a hole at the end", {0, 10}, 2 * kCell + 1, {0, 1, 1}},
      {"a hole at the end that ends with a cell", {0, 10}, 2 * kCell, {0, 1}},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    OffsetMapWriter writer = Begun(dir / "map");
    for (const uint64_t first : row.first_records) {
      REQUIRE(writer.AddBlock({.first_record = first, .records = 10}, PackOffsets(std::vector<uint64_t>(11)), {}));
    }
    REQUIRE(writer.Finish({.records = row.records}));
    const MapHeader header = OffsetMap::Open(dir / "map")->header();
    CHECK(header.records == row.records);
    CHECK(header.live == 10 * row.first_records.size());
    std::string jumps;
    for (const uint32_t jump : row.jumps) jumps += Le32(jump);
    CHECK(ReadFile(dir / "map").substr(header.jumps_at) == jumps);
  }
}

TEST_CASE("the same input gives the same bytes") {
  const TempDir dir;
  for (const char* name : {"a", "b"}) {
    OffsetMapWriter writer = Begun(dir / name);
    for (uint32_t i = 0; i < 10; ++i) {
      const std::vector<uint64_t> boundaries = {i, i + 1, i + 3};
      REQUIRE(writer.AddBlock({.first_record = 2 * i, .begin = i, .end = i + 3, .records = 2}, PackOffsets(boundaries),
                              {}));
    }
    writer.AddShard({.path = "s", .framing = Framing::kOfRecord, .identity = {}, .records = 20});
    REQUIRE(writer.Finish({}));
  }
  CHECK(ReadFile(dir / "a") == ReadFile(dir / "b"));
}

TEST_CASE("an abandoned map is not a map") {
  const TempDir dir;
  {
    OffsetMapWriter writer = Begun(dir / "map");
    const std::vector<uint64_t> boundaries(4096, 0);
    // Larger than the buffer, so that something reaches the disk.
    for (uint64_t i = 0; i < 5000; ++i) {
      REQUIRE(writer.AddBlock({.first_record = i * 4095, .records = 4095}, PackOffsets(boundaries),
                              std::vector<uint32_t>(64)));
    }
  }
  CHECK(ReadFile(dir / "map").size() > kMapHeaderBytes);
  const auto map = OffsetMap::Open(dir / "map");
  REQUIRE_FALSE(map);
  CHECK(map.error().code == ErrorCode::kIndex);
}

TEST_CASE("a full disk is an error of the writer, not a short map") {
  OffsetMapWriter writer = Begun("/dev/full");
  const auto finished = writer.Finish({});
  REQUIRE_FALSE(finished);
  CHECK(finished.error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace ofindex
