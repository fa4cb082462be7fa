#include "mmap/offsets/offset_map.h"

#include <doctest/doctest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "mmap/offsets/offset_map_writer.h"
#include "mmap/record_reader.h"
#include "tests/mmap/offsets/opened_map.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/page_cache.h"
#include "tests/support/sanitizers.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

// Returns all answers of a map as text, with only the code of an error.
std::vector<std::string> AnswersOf(const OffsetMap& map) {
  std::vector<std::string> answers;
  const auto add = [&](const auto& result, const auto& text) {
    if (!result) REQUIRE(result.error().code == ErrorCode::kIndex);
    answers.push_back(result ? text(*result) : "kIndex");
  };
  for (uint64_t i = 0; i < map.records(); ++i) {
    add(map.Find(i), [](const OffsetMap::Place& place) {
      return Le32(place.shard) + Le32(place.bad_reason) + Le64(place.begin) + Le64(place.end);
    });
  }
  for (uint64_t i = 0; i < map.shards(); ++i) {
    add(map.Shard(i), [](const MapShard& shard) {
      return shard.path + std::string(Name(shard.framing)) + std::string(Name(shard.payload)) +
             Le64(shard.identity.size) + Le64(static_cast<uint64_t>(shard.identity.mtime_ns)) +
             Le64(static_cast<uint64_t>(shard.identity.ctime_ns)) + Le64(shard.identity.inode) +
             Le64(shard.identity.fingerprint) + Le64(shard.first_record) + Le64(shard.records);
    });
  }
  return answers;
}

std::vector<ShardPlan> SmallShards() {
  return {{.path = "part-0", .framing = Framing::kOfRecord, .payloads = SomePayloads(9, 40), .bad = {2, 8}},
          {.path = "part-1", .framing = Framing::kTfRecord, .payloads = SomePayloads(5, 40), .bad = {0}}};
}

TEST_CASE("a map returns the position of every record, and every shard, as written") {
  const MappedDataset dataset(MixedShards());
  const OffsetMap map = OpenedMap(dataset.map_path());
  REQUIRE(map.records() == dataset.payloads().size());
  REQUIRE(map.shards() == 5);
  for (uint64_t i = 0; i < map.records(); ++i) {
    const auto place = map.Find(i);
    REQUIRE(place);
    const RecordLocation& expected = dataset.locations()[i];
    const uint64_t framing = place->shard < 2 ? 8 : 16;
    CHECK(place->shard == expected.shard);
    CHECK(place->begin == expected.offset);
    CHECK(place->end == expected.offset + expected.length + framing);
    CHECK(place->bad_reason == 0);
  }
  const auto shard = map.Shard(3);
  REQUIRE(shard);
  CHECK(shard->path == "data/b/x.tfrecord");
  CHECK(shard->framing == Framing::kTfRecord);
  CHECK(shard->identity.size == dataset.shard_bytes(3).size());
  CHECK(shard->first_record == 101);
  CHECK(shard->records == 120);
  CHECK(map.data_dir_bytes() == 5);
}

TEST_CASE("exactly the bad records are reported, each with its reason") {
  const MappedDataset dataset(SmallShards(), 4);
  const OffsetMap map = OpenedMap(dataset.map_path());
  for (uint64_t i = 0; i < map.records(); ++i) {
    CHECK(map.Find(i)->bad_reason == (i == 2 || i == 8 || i == 9 ? static_cast<uint32_t>(BadReason::kPayloadCrc) : 0));
  }
}

TEST_CASE("each of any number of bad records in a block is found, and no other") {
  for (uint32_t count = 0; count < 10; ++count) {
    std::vector<uint32_t> bad;
    for (uint32_t i = 0; i < count; ++i) bad.push_back(2 * i + 1);
    const MappedDataset dataset(
        {{.path = "p", .framing = Framing::kOfRecord, .payloads = SomePayloads(20, 40), .bad = bad}}, 20);
    const OffsetMap map = OpenedMap(dataset.map_path());
    CAPTURE(count);
    for (uint64_t i = 0; i < 20; ++i) CHECK((map.Find(i)->bad_reason != 0) == (i % 2 == 1 && i < 2 * count));
  }
}

TEST_CASE("a map of no records and no shards opens") {
  const MappedDataset dataset({});
  const OffsetMap map = OpenedMap(dataset.map_path());
  CHECK(map.records() == 0);
  CHECK(map.shards() == 0);
}

TEST_CASE("a map of many blocks finds the records at the edges of every block, even past the first jump entry") {
  // 200,000 empty records in blocks of 1 to 65,536: the jump table has 4 entries.
  for (uint32_t block : {1000U, 65'535U, 65'536U}) {
    const MappedDataset dataset(
        {{.path = "p", .framing = Framing::kOfRecord, .payloads = std::vector<std::string>(200'000)}}, block);
    const OffsetMap map = OpenedMap(dataset.map_path());
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < map.records(); ++i) {
      const auto place = map.Find(i);
      wrong += !place || place->begin != 8 * i || place->end != 8 * i + 8;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every flipped bit of a map gives an error or the right answers") {
  const MappedDataset dataset(SmallShards(), 4);
  const std::string bytes = ReadFile(dataset.map_path());
  const std::vector<std::string> sound = AnswersOf(OpenedMap(dataset.map_path()));
  const std::string path = dataset.map_path();
  uint64_t in_header = 0, refused = 0, partly = 0, unused = 0;
  for (size_t flip = 0; flip < 8 * bytes.size(); flip += kCaseStep) {
    const size_t at = flip / 8;
    const int bit = static_cast<int>(flip % 8);
    CAPTURE(at);
    CAPTURE(bit);
    in_header += at < kMapHeaderBytes;
    WriteFile(path, WithFlippedBit(bytes, at, bit));
    const auto map = OffsetMap::Open(path);
    if (!map) {
      CHECK(map.error().code == ErrorCode::kIndex);
      ++refused;
      continue;
    }
    const std::vector<std::string> answers = AnswersOf(*map);
    REQUIRE(answers.size() == sound.size());
    for (size_t i = 0; i < answers.size(); ++i) CHECK((answers[i] == sound[i] || answers[i] == "kIndex"));
    ++(answers == sound ? unused : partly);
  }
  CHECK(refused == in_header);  // the header is read at open
  CHECK(partly > 0);
  // A jump table with one entry: a bit that points past the last block is noticed, one that points inside may not be.
  CHECK(unused <= 4 * 8);
}

TEST_CASE("a map of another version is refused, even if its checksum is right") {
  const MappedDataset dataset(SmallShards());
  const std::string bytes = ReadFile(dataset.map_path());
  for (const uint32_t version : {kMapVersion - 1, kMapVersion, kMapVersion + 1}) {
    std::string header = bytes.substr(0, 8) + Le32(version) + bytes.substr(12, kMapHeaderBytes - 20);
    header += Le64(Xxh3(AsBytes(header)));
    WriteFile(dataset.map_path(), header + bytes.substr(kMapHeaderBytes));
    CAPTURE(version);
    CHECK(OffsetMap::Open(dataset.map_path()).has_value() == (version == kMapVersion));
  }
}

TEST_CASE("a map cut at any length, or one byte longer, is refused") {
  const MappedDataset dataset(SmallShards(), 4);
  const std::string bytes = ReadFile(dataset.map_path());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    WriteFile(dataset.map_path(), bytes.substr(0, size));
    const auto map = OffsetMap::Open(dataset.map_path());
    REQUIRE_FALSE(map);
    CHECK(map.error().code == ErrorCode::kIndex);
  }
  WriteFile(dataset.map_path(), bytes + '\0');
  CHECK_FALSE(OffsetMap::Open(dataset.map_path()));
}

TEST_CASE("a file that is missing or is not a map is refused") {
  const MappedDataset dataset(SmallShards());
  const std::string bytes = ReadFile(dataset.map_path());
  const auto code_of = [&](const std::string& path) {
    const auto map = OffsetMap::Open(path);
    REQUIRE_FALSE(map);
    return map.error().code;
  };
  CHECK(code_of(dataset.folder() + "/missing") == ErrorCode::kNotFound);
  CHECK(code_of(dataset.folder()) == ErrorCode::kIo);
  REQUIRE(::mkfifo((dataset.folder() + "/fifo").c_str(), 0600) == 0);
  CHECK(code_of(dataset.folder() + "/fifo") == ErrorCode::kIo);
  CHECK(code_of(dataset.shard_path(0)) == ErrorCode::kIndex);
  WriteFile(dataset.map_path(), std::string(bytes.size(), '\0'));  // a crash before the header was written
  CHECK(code_of(dataset.map_path()) == ErrorCode::kIndex);
}

// Returns a header with untrusted content and a valid checksum.
std::string ForgedHeader(MapHeader header) {
  std::string bytes(kMapHeaderBytes, '\0');
  header.Encode(reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

TEST_CASE("a forged header with a correct checksum points at nothing outside the file") {
  const TempDir dir;
  constexpr uint64_t kSize = 1000;
  const uint64_t numbers[] = {0,
                              1,
                              kSize - 1,
                              kSize,
                              kSize + 1,
                              uint64_t{1} << 32,
                              uint64_t{1} << 58,
                              uint64_t{1} << 63,
                              ~uint64_t{0} - 255,
                              ~uint64_t{0}};
  using Field = uint64_t MapHeader::*;
  for (Field field : {Field{&MapHeader::records}, Field{&MapHeader::shards}, Field{&MapHeader::blocks},
                      Field{&MapHeader::names_at}, Field{&MapHeader::names_bytes}, Field{&MapHeader::shards_at},
                      Field{&MapHeader::blocks_at}, Field{&MapHeader::jumps_at}, Field{&MapHeader::data_dir_bytes}}) {
    for (uint64_t number : numbers) {
      MapHeader header{.records = 1,
                       .shards = 1,
                       .blocks = 1,
                       .names_at = 256,
                       .names_bytes = 1,
                       .shards_at = 300,
                       .blocks_at = 400,
                       .jumps_at = 500,
                       .file_bytes = kSize};
      header.*field = number;
      WriteFile(dir / "map", ForgedHeader(header) + std::string(kSize - kMapHeaderBytes, '\0'));
      const auto map = OffsetMap::Open(dir / "map");
      if (!map) {
        CHECK(map.error().code == ErrorCode::kIndex);
        continue;
      }
      // No entry has a valid checksum: nothing is found, and the sanitizer sees that nothing else is touched.
      for (uint64_t ordinal : {uint64_t{0}, map->records() - 1}) {
        if (ordinal < map->records()) CHECK_FALSE(map->Find(ordinal));
      }
      for (uint64_t shard : {uint64_t{0}, map->shards() - 1}) {
        if (shard < map->shards()) CHECK_FALSE(map->Shard(shard));
      }
    }
  }
}

TEST_CASE("a block that was copied while another map was in the file is never used later") {
  const auto shards = [](size_t bytes, bool one_size) -> std::vector<ShardPlan> {
    if (one_size) return {{.path = "p", .payloads = std::vector<std::string>(40, std::string(bytes, 'x'))}};
    return {{.path = "p", .payloads = SomePayloads(40, bytes)}};
  };
  for (const bool one_size : {true, false}) {  // packed offsets of equal sizes consist of frames only
    for (const uint64_t copied : {uint64_t{0}, kCopiedMapBytes}) {
      for (const bool warm : {false, true}) {
        CAPTURE(one_size);
        CAPTURE(copied);
        CAPTURE(warm);
        const MappedDataset dataset(shards(60, one_size)), other(shards(90, one_size));
        const std::string bytes = ReadFile(dataset.map_path());
        const OffsetMap map = OffsetMap::Open(dataset.map_path(), {}, copied).value();
        WaitForNextMtime();
        if (warm) REQUIRE(map.Find(0));
        WriteFile(dataset.map_path(), ReadFile(other.map_path()));
        static_cast<void>(map.Block(2));
        WriteFile(dataset.map_path(), bytes);
        WaitForNextMtime();
        for (uint64_t i = 14; i < 21; ++i) {
          const auto place = map.Find(i);
          CHECK((!place || place->begin == dataset.locations()[i].offset));
        }
        const auto block = map.Block(2);
        CHECK((!block || !block->owned || block->block.begin == dataset.locations()[14].offset));
      }
    }
  }
}

TEST_CASE("a map is stale once its header, or the entry of a block in use, was replaced by another sound one") {
  const MappedDataset dataset(SmallShards());
  const std::string bytes = ReadFile(dataset.map_path());
  const auto* const in = reinterpret_cast<const uint8_t*>(bytes.data());
  MapHeader header;
  REQUIRE(header.Decode(in));
  MapBlock block;
  block.Decode(in + header.blocks_at);
  const ByteView stored = AsBytes(bytes).subspan(block.packed_at, block.stored_bytes());
  header.payload_bytes += 1;
  block.end += 1;
  std::string entry(kMapEntryBytes, '\0');
  block.Encode(stored, reinterpret_cast<uint8_t*>(entry.data()));
  for (const auto& change : {std::pair(uint64_t{0}, ForgedHeader(header)), std::pair(header.blocks_at, entry)}) {
    const uint64_t at = change.first;
    CAPTURE(at);
    const OffsetMap map = OpenedMap(dataset.map_path(), 0);  // blocks that are copied whole stay right without the file
    WaitForNextMtime();
    REQUIRE(map.Find(0));
    OverwriteAt(dataset.map_path(), at, change.second);
    WaitForNextMtime();
    const auto place = map.Find(0);
    REQUIRE_FALSE(place);
    CHECK(place.error().code == ErrorCode::kStale);
    WriteFile(dataset.map_path(), bytes);
  }
}

TEST_CASE("blocks that are unreadable, or read only to check the map, take no room from copied blocks") {
  const MappedDataset dataset({{.path = "p", .payloads = SomePayloads(14, 60)}});
  const std::string bytes = ReadFile(dataset.map_path());
  const OffsetMap sound = OpenedMap(dataset.map_path());
  const auto block_bytes = [&](uint64_t number) { return sound.Block(number)->block.stored_bytes(); };
  const uint64_t room = std::max(block_bytes(0), block_bytes(1));
  OverwriteAt(dataset.map_path(), sound.Block(0)->block.packed_at,
              WithFlippedBit(bytes, sound.Block(0)->block.packed_at, 0).substr(sound.Block(0)->block.packed_at, 1));
  WaitForNextMtime();
  const OffsetMap map = OffsetMap::Open(dataset.map_path(), {}, room).value();
  CHECK_FALSE(map.Find(0));
  CHECK_FALSE(map.CheckAll());
  REQUIRE(map.Find(7));
  CHECK(map.Block(1)->owned);
  WriteFile(dataset.map_path(), bytes);
  WaitForNextMtime();
  const OffsetMap checked = OffsetMap::Open(dataset.map_path(), {}, room).value();
  REQUIRE(checked.CheckAll());
  REQUIRE(checked.Find(7));
  CHECK(checked.Block(1)->owned);
}

constexpr uint64_t kHollowBytes = uint64_t{1} << 32;

// Makes the dataset's map a sparse file of 4 GiB, moves a table of one entry to a separate place in it, and makes the
// header claim as many entries as fit in the file. The header's checksum is valid.
void Hollow(const MappedDataset& dataset, uint64_t MapHeader::*table_at, uint64_t MapHeader::*count,
            uint64_t entry_bytes) {
  constexpr uint64_t kTableAt = 1 << 20;
  MapHeader header = OpenedMap(dataset.map_path()).header();
  const std::string entry = ReadFile(dataset.map_path()).substr(header.*table_at, entry_bytes);
  header.*table_at = kTableAt;
  header.*count = (kHollowBytes - kTableAt) / entry_bytes;
  header.file_bytes = kHollowBytes;
  TruncateTo(dataset.map_path(), kHollowBytes);
  OverwriteAt(dataset.map_path(), 0, ForgedHeader(header));
  OverwriteAt(dataset.map_path(), kTableAt,
              entry + Le64(~uint64_t{0}));  // in a table of blocks: the next block begins at record 2^64 - 1
}

// Copies and views the only record of the dataset in a process that has address space for the map and `bytes` bytes
// more. Returns 0 if both results are right. Returns the error code plus 100 if opening the map failed, plus 150 if
// copying failed, and plus 200 if viewing failed.
int ReadWithin(const MappedDataset& dataset, uint64_t bytes) {
  return RunInChild([&] {
    ::malloc_trim(0);  // otherwise, memory that other tests have freed would count as room
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t room = pages * 4096 + kHollowBytes + bytes;
    const rlimit limit{.rlim_cur = room, .rlim_max = room};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    auto map = OffsetMap::Open(dataset.map_path());
    if (!map) return 100 + static_cast<int>(map.error().code);
    const RecordReader reader = RecordReader::Open(std::move(*map), dataset.folder(), {.io = IoMode::kMmap});
    for (int time = 0; time < 2; ++time) {
      std::vector<uint8_t> copy;
      const auto copied = reader.Copy(0, copy);
      if (!copied) return 150 + static_cast<int>(copied.error().code);
      const auto view = reader.View(0);
      if (!view) return 200 + static_cast<int>(view.error().code);
      if (AsText(copy) != dataset.payloads()[0] || AsText(*view) != dataset.payloads()[0]) return 2;
    }
    return 0;
  });
}

TEST_CASE("a map that claims more blocks or shards than memory can hold does not end the process") {
  if (kSanitized) return;
  constexpr uint64_t kMiB = 1 << 20;
  constexpr int kLimit = static_cast<int>(ErrorCode::kLimit);
  const std::vector<ShardPlan> one_record = {{.path = "p", .framing = Framing::kOfRecord, .payloads = {"a payload"}}};
  {
    const MappedDataset dataset(one_record);
    CHECK(ReadWithin(dataset, 32 * kMiB) == 0);
    Hollow(dataset, &MapHeader::blocks_at, &MapHeader::blocks, kMapEntryBytes);
    CHECK(ReadWithin(dataset, 32 * kMiB) == 100 + kLimit);  // one byte per block
    CHECK(ReadWithin(dataset, 1024 * kMiB) == 0);           // room for these, but not for 64 bytes per block
  }
  const MappedDataset dataset(one_record);
  Hollow(dataset, &MapHeader::shards_at, &MapHeader::shards, kMapShardBytes);
  CHECK(ReadWithin(dataset, 128 * kMiB) == 150 + kLimit);  // one pointer per shard
  CHECK(ReadWithin(dataset, 1024 * kMiB) == 0);
}

TEST_CASE("a forged block with a correct checksum locates no record outside the block, and no missing shard") {
  const TempDir dir;
  const std::vector<uint64_t> boundaries = {100, 200, 300};
  struct Row {
    const char* what;
    MapBlock block;
    bool found;
    size_t padding = 0;  // bytes after the packed offsets
  };
  const Row rows[] = {
      {"with fewer bytes than a block may have", {.begin = 100, .end = 300, .records = 2, .shard = 0}, true, 1'000'000},
      {"with more bytes than a block may have", {.begin = 100, .end = 300, .records = 2, .shard = 0}, false, 1 << 20},
      {"as it should be", {.begin = 100, .end = 300, .records = 2, .shard = 0}, true},
      {"begins after its first record", {.begin = 101, .end = 300, .records = 2, .shard = 0}, false},
      {"ends before its last record", {.begin = 100, .end = 299, .records = 2, .shard = 0}, false},
      {"in a shard that does not exist", {.begin = 100, .end = 300, .records = 2, .shard = 1}, false},
      {"with more records than a block can have", {.begin = 100, .end = 300, .records = 65'537, .shard = 0}, false},
      {"with more records than packed offsets", {.begin = 100, .end = 300, .records = 5000, .shard = 0}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    auto writer = OffsetMapWriter::Begin(OutputFile::Create(dir / "map").value());
    REQUIRE(writer);
    std::vector<uint8_t> packed = PackOffsets(boundaries);
    packed.resize(packed.size() + row.padding);
    REQUIRE(writer->AddBlock(row.block, packed, {}));
    writer->AddShard({.path = "s", .framing = Framing::kOfRecord, .identity = {}});
    REQUIRE(writer->Finish({}));
    const OffsetMap map = OpenedMap(dir / "map");
    CHECK((map.Find(0).has_value() && map.Find(1).has_value()) == row.found);
  }
}

TEST_CASE("descending offsets are damage, not a huge record") {
  const TempDir dir;
  auto writer = OffsetMapWriter::Begin(OutputFile::Create(dir / "map").value());
  REQUIRE(writer);
  REQUIRE(writer->AddBlock({.begin = 0, .end = 1000, .records = 2, .shard = 0},
                           PackOffsets(std::vector<uint64_t>{500, 400, 600}), {}));
  writer->AddShard({.path = "s", .framing = Framing::kOfRecord, .identity = {}});
  REQUIRE(writer->Finish({}));
  const OffsetMap map = OpenedMap(dir / "map");
  REQUIRE_FALSE(map.Find(0));
  CHECK(map.Find(0).error().code == ErrorCode::kIndex);
  CHECK(map.Find(1)->end == 600);
}

TEST_CASE("the first lookup of a record reads the tables and one block, and nothing else of a map on a disk") {
  const TempDir dir;
  const std::string path = dir / "map";
  auto writer = OffsetMapWriter::Begin(OutputFile::Create(path).value());
  REQUIRE(writer);
  std::mt19937_64 random(1);
  constexpr uint32_t kBlocks = 120;
  uint64_t block_bytes = 0;
  for (uint32_t block = 0; block < kBlocks; ++block) {
    std::vector<uint64_t> boundaries = {0};
    while (boundaries.size() <= kBlockRecords) boundaries.push_back(boundaries.back() + random() % 100'000);
    const std::vector<uint8_t> packed = PackOffsets(boundaries);
    block_bytes = packed.size();
    const MapBlock entry{.first_record = uint64_t{block} * kBlockRecords,
                         .begin = 0,
                         .end = boundaries.back(),
                         .records = kBlockRecords,
                         .shard = block};
    REQUIRE(writer->AddBlock(entry, packed, {}));
    writer->AddShard({.path = std::to_string(block), .framing = Framing::kOfRecord, .identity = {}});
  }
  REQUIRE(writer->Finish({}));
  const uint64_t size = std::filesystem::file_size(path);
  Evict(path);
  if (PagesOf(path, 0, size).cached != 0) return;  // a file system in memory
  const OffsetMap map = OpenedMap(path);
  CHECK(map.Find(uint64_t{kBlocks} / 2 * kBlockRecords));
  const CachedPages pages = PagesOf(path, 0, size);
  CAPTURE(pages.cached);
  CHECK(pages.cached * 4096 < 10 * block_bytes);
}

}  // namespace
}  // namespace ofindex
