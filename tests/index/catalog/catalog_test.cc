#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "index/catalog/catalog_reader.h"
#include "index/catalog/catalog_writer.h"
#include "index/catalog/row_checksums.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

const std::string kOddPath = "x/../../a b/\xff\n'\";--/part-1";

DatasetFacts SomeFacts() {
  DatasetFacts facts;
  for (size_t i = 0; i < facts.id.size(); ++i) facts.id[i] = static_cast<uint8_t>(17 * i);
  facts.records = 3;
  facts.ordinals = 3;
  facts.payload_bytes = 27;
  facts.data_bytes = (uint64_t{1} << 62) + 77;
  facts.checked = Checked::kPayloads;
  facts.format = "tfrecord";
  facts.payload = "opaque";
  facts.skipped = 2;
  facts.sources = {"b", "@list", "a"};
  return facts;
}

std::vector<BlockRow> SomeBlocks() {
  BlockRow one{.shard = 0, .first_record = 0, .records = 2, .begin = 0, .end = 50};
  one.offsets = PackOffsets(std::vector<uint64_t>{0, 20, 50});
  one.hashes.assign(16, 0x5a);
  BlockRow two{
      .shard = 1, .first_record = 2, .records = 1, .begin = uint64_t{1} << 62, .end = (uint64_t{1} << 62) + 17};
  two.offsets = PackOffsets(std::vector<uint64_t>{two.begin, two.end});
  return {one, two};
}

std::vector<ShardRow> SomeShards() {
  return {{.path = "part-0",
           .framing = Framing::kTfRecord,
           .payload = PayloadKind::kExample,
           .identity = {{.size = 60, .mtime_ns = 1'700'000'000'123'456'789, .ctime_ns = 7, .inode = 8}, 1},
           .first_record = 0,
           .records = 2,
           .payload_bytes = 18},
          {.path = kOddPath,
           .framing = Framing::kOfRecord,
           .payload = PayloadKind::kSequenceExample,
           .identity = {{.size = (uint64_t{1} << 62) + 17, .mtime_ns = -5, .ctime_ns = -6, .inode = ~uint64_t{0}},
                        ~uint64_t{0}},
           .first_record = 2,
           .records = 1,
           .payload_bytes = 9,
           .file = 1}};
}

std::vector<SkippedFile> SomeSkipped() {
  return {{.path = "a.txt", .reason = "not a record file", .state = FileState{5, -6, 7, ~uint64_t{0}}},
          {.path = "link", .reason = "a dangling link", .kind = SkippedFile::Kind::kBrokenLink}};
}

// Writes a small complete index.
void WriteCatalog(const std::string& path) {
  WriteFile(path, "");
  Result<CatalogWriter> writer = CatalogWriter::Create(path);
  REQUIRE_MESSAGE(writer.has_value(), writer.error().message);
  for (const BlockRow& block : SomeBlocks()) REQUIRE(writer->Add(block).has_value());
  REQUIRE(writer->Add(BadRow{.record = 1, .shard = 0, .offset = 20, .reason = BadReason::kPayloadCrc}).has_value());
  REQUIRE(writer->Add(DamageRow{0, {50, 60, DamageReason::kTornTail}}).has_value());
  REQUIRE(writer->Add(DamageRow{1, {0, uint64_t{1} << 62, DamageReason::kResyncLimit}}).has_value());
  for (const ShardRow& shard : SomeShards()) REQUIRE(writer->Add(shard).has_value());
  for (const SkippedFile& file : SomeSkipped()) REQUIRE(writer->Add(file).has_value());
  REQUIRE(writer->Finish(SomeFacts()).has_value());
}

TEST_CASE("rows written to an index are read back") {
  const TempDir dir;
  WriteCatalog(dir / "i.ofidx");
  Result<CatalogReader> reader = CatalogReader::Open(dir / "i.ofidx");
  REQUIRE_MESSAGE(reader.has_value(), reader.error().message);

  const DatasetFacts wanted = SomeFacts();
  CHECK(reader->facts().id == wanted.id);
  CHECK(reader->facts().records == wanted.records);
  CHECK(reader->facts().ordinals == wanted.ordinals);
  CHECK(reader->facts().payload_bytes == wanted.payload_bytes);
  CHECK(reader->facts().data_bytes == wanted.data_bytes);
  CHECK(reader->facts().checked == wanted.checked);
  CHECK(reader->facts().format == wanted.format);
  CHECK(reader->facts().payload == wanted.payload);
  CHECK(reader->facts().sources == wanted.sources);

  const auto generations = reader->Generations();
  REQUIRE((generations.has_value() && generations->size() == 1));
  CHECK(generations->front().records == 3);
  CHECK(generations->front().fingerprint.size() == 32);

  const auto shards = reader->Shards();
  REQUIRE((shards.has_value() && shards->size() == 2));
  for (size_t i = 0; i < 2; ++i) {
    const ShardRow& got = (*shards)[i];
    const ShardRow row = SomeShards()[i];
    CHECK(got.path == row.path);
    CHECK(got.framing == row.framing);
    CHECK(got.payload == row.payload);
    CHECK(got.identity.size == row.identity.size);
    CHECK(got.identity.mtime_ns == row.identity.mtime_ns);
    CHECK(got.identity.ctime_ns == row.identity.ctime_ns);
    CHECK(got.identity.inode == row.identity.inode);
    CHECK(got.identity.fingerprint == row.identity.fingerprint);
    CHECK(got.first_record == row.first_record);
    CHECK(got.records == row.records);
    CHECK(got.payload_bytes == row.payload_bytes);
  }

  std::vector<BlockRow> blocks;
  REQUIRE(reader
              ->ForEachBlock([&](const BlockRow& block) -> Result<void> {
                blocks.push_back(block);
                return {};
              })
              .has_value());
  REQUIRE(blocks.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const BlockRow row = SomeBlocks()[i];
    CHECK(blocks[i].shard == row.shard);
    CHECK(blocks[i].first_record == row.first_record);
    CHECK(blocks[i].records == row.records);
    CHECK(blocks[i].begin == row.begin);
    CHECK(blocks[i].end == row.end);
    CHECK(blocks[i].offsets == row.offsets);
    CHECK(blocks[i].hashes == row.hashes);
  }

  const auto damage = reader->Damage();
  REQUIRE((damage.has_value() && damage->size() == 2));
  CHECK((*damage)[0].range == DamagedRange{50, 60, DamageReason::kTornTail});
  CHECK((*damage)[1].shard == 1);
  CHECK((*damage)[1].range == DamagedRange{0, uint64_t{1} << 62, DamageReason::kResyncLimit});
  const auto bad = reader->Bad();
  REQUIRE((bad.has_value() && bad->size() == 1));
  CHECK(bad->front().record == 1);
  CHECK(bad->front().offset == 20);

  const auto skipped = reader->Skipped();
  REQUIRE((skipped.has_value() && skipped->size() == 2));
  for (size_t i = 0; i < 2; ++i) {
    CHECK((*skipped)[i].path == SomeSkipped()[i].path);
    CHECK((*skipped)[i].reason == SomeSkipped()[i].reason);
    CHECK((*skipped)[i].kind == SomeSkipped()[i].kind);
    CHECK((*skipped)[i].state == SomeSkipped()[i].state);
  }
}

TEST_CASE("one text has another checksum than two texts of the same bytes") {
  const std::string type(1, static_cast<char>(ColumnValue::Type::kText));
  RowHash hash;
  hash.AddText("a" + type + std::string(7, '\0') + "b");
  const uint64_t one = hash.Take();
  hash.AddText("a");
  hash.AddText("b");
  CHECK(hash.Take() != one);
}

TEST_CASE("the same rows give the same bytes") {
  const TempDir dir;
  WriteCatalog(dir / "a");
  WriteCatalog(dir / "b");
  CHECK(ReadFile(dir / "a") == ReadFile(dir / "b"));
}

TEST_CASE("an error from the block visitor ends the reading and is returned") {
  const TempDir dir;
  WriteCatalog(dir / "i.ofidx");
  Result<CatalogReader> reader = CatalogReader::Open(dir / "i.ofidx");
  REQUIRE(reader.has_value());
  int calls = 0;
  const Result<void> read = reader->ForEachBlock([&](const BlockRow&) -> Result<void> {
    ++calls;
    return Fail(ErrorCode::kLimit, "enough");
  });
  CHECK(calls == 1);
  REQUIRE(!read.has_value());
  CHECK(read.error().message == "enough");
}

TEST_CASE("a file that is not an index, or has another version, is refused with an error that names it") {
  const TempDir dir;
  WriteCatalog(dir / "sound");
  const std::string sound = ReadFile(dir / "sound");
  const auto error_of = [&](const std::string& bytes) {
    WriteFile(dir / "i.ofidx", bytes);
    const Result<CatalogReader> reader = CatalogReader::Open(dir / "i.ofidx");
    REQUIRE(!reader.has_value());
    CHECK(reader.error().code == ErrorCode::kIndex);
    CHECK(reader.error().message.find("i.ofidx") != std::string::npos);
    return reader.error().message;
  };
  const auto with = [&](size_t at, char byte) {
    std::string bytes = sound;
    bytes[at] = byte;
    return bytes;
  };
  // application_id at byte 68, user_version at 60, both big-endian (sqlite.org/fileformat.html).
  CHECK(error_of(with(71, 'Y')).find("not an ofindex index") != std::string::npos);
  CHECK(error_of(with(63, 4)).find("another version; expected 5, got 4") != std::string::npos);
  CHECK(error_of(with(60, 1)).find("another version") != std::string::npos);
  CHECK(error_of("").find("not an ofindex index") != std::string::npos);
  CHECK(error_of("SQLite format 3").find("not an ofindex index") != std::string::npos);
  CHECK(error_of(std::string(200'000, 'x')).find("not an ofindex index") != std::string::npos);
  // A sound header with nothing after it.
  static_cast<void>(error_of(sound.substr(0, 100)));

  const Result<CatalogReader> missing = CatalogReader::Open(dir / "missing");
  REQUIRE(!missing.has_value());
  CHECK(missing.error().code == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace ofindex
