#include "mmap/record_reader.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "mmap/offsets/offset_map_writer.h"
#include "tests/mmap/reading.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/sanitizers.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

TEST_CASE("view, copy and batch return the written payloads in the requested order, for all reader options") {
  const MappedDataset dataset(MixedShards());
  const std::vector<std::string>& payloads = dataset.payloads();
  for (const ReaderOptions& way : AllWays()) {
    CAPTURE(static_cast<int>(way.io));
    CAPTURE(way.max_maps);
    CAPTURE(way.max_descriptors);
    const RecordReader reader = dataset.Open(way);
    REQUIRE(reader.size() == payloads.size());
    std::mt19937_64 random(37);
    RecordBatch batch;
    std::vector<uint8_t> copy;
    for (int i = 0; i < 40; ++i) {
      const std::vector<uint64_t> ordinals = RandomOrdinals(random, payloads.size(), random() % 100);
      REQUIRE(reader.CopyInto(ordinals, batch));
      REQUIRE(batch.size() == ordinals.size());
      std::string joined;
      for (size_t slot = 0; slot < ordinals.size(); ++slot) {
        const std::string& payload = payloads[ordinals[slot]];
        CHECK(Text(batch[slot]) == payload);
        REQUIRE(reader.Copy(ordinals[slot], copy));
        CHECK(Text(copy) == payload);
        const auto view = reader.View(ordinals[slot]);
        if (view) CHECK(Text(*view) == payload);
        if (!view) CHECK(view.error().code == ErrorCode::kLimit);
        joined += payload;
      }
      CHECK(AsText(batch.bytes()) == joined);
    }
  }
}

TEST_CASE("views exist for as many shards as the limit on maps allows, and with pread for none") {
  const MappedDataset dataset(MixedShards());
  const auto viewed = [&](const ReaderOptions& way) {
    const RecordReader reader = dataset.Open(way);
    uint64_t n = 0;
    for (uint64_t i = 0; i < reader.size(); ++i) n += reader.View(i).has_value();
    return n;
  };
  CHECK(viewed({.io = IoMode::kMmap}) == dataset.payloads().size());
  CHECK(viewed({.io = IoMode::kMmap, .max_maps = 1}) == 100);  // the first shard's
  CHECK(viewed({.io = IoMode::kMmap, .max_maps = 2}) == 101);
  CHECK(viewed({.io = IoMode::kPread}) == 0);
}

TEST_CASE("no more descriptors stay open than allowed") {
  const MappedDataset dataset(MixedShards());
  const auto open_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  for (IoMode io : {IoMode::kMmap, IoMode::kPread}) {
    const auto before = open_now();
    const RecordReader reader = dataset.Open({.io = io, .max_descriptors = 2});
    std::vector<uint8_t> out;
    for (uint64_t i = 0; i < reader.size(); ++i) REQUIRE(reader.Copy(i, out));
    CHECK(open_now() == before + 1 + 2);  // the map has one
  }
}

TEST_CASE("an empty batch is valid, and each request replaces the content of a batch") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open();
  RecordBatch batch;
  REQUIRE(reader.CopyInto({}, batch));
  CHECK(batch.size() == 0);
  CHECK(batch.bytes().empty());
  REQUIRE(reader.CopyInto(std::vector<uint64_t>{3, 3, 1, 3}, batch));
  const std::vector<std::string>& all = dataset.payloads();
  CHECK(PayloadsOf(batch) == std::vector<std::string>{all[3], all[3], all[1], all[3]});
  REQUIRE(reader.CopyInto(std::vector<uint64_t>{0}, batch));  // a record of no bytes
  CHECK(PayloadsOf(batch) == std::vector<std::string>{""});
  REQUIRE(reader.CopyInto({}, batch));
  CHECK(batch.size() == 0);
}

TEST_CASE("a record is located where it was written") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open();
  for (uint64_t i = 0; i < reader.size(); ++i) CHECK(reader.Locate(i).value() == dataset.locations()[i]);
  CHECK(reader.ShardPath(3).value() == dataset.shard_path(3));
}

TEST_CASE("an ordinal past the last is out of range for every method, and the message gives the number of records") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open();
  std::vector<uint8_t> out;
  RecordBatch batch;
  for (uint64_t ordinal : {reader.size(), uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}}) {
    CHECK(reader.Locate(ordinal).error().code == ErrorCode::kOutOfRange);
    CHECK(reader.View(ordinal).error().code == ErrorCode::kOutOfRange);
    CHECK(reader.Copy(ordinal, out).error().code == ErrorCode::kOutOfRange);
    CHECK(reader.CopyInto(std::vector<uint64_t>{0, ordinal}, batch).error().code == ErrorCode::kOutOfRange);
  }
  CHECK(reader.Locate(258).error().message == "record 258 is not in the dataset; expected less than 258");
  const MappedDataset empty({});
  CHECK(empty.Open().Locate(0).error().code == ErrorCode::kOutOfRange);
}

TEST_CASE("reading a record marked bad is an error that names the record, unless bad records are allowed") {
  const MappedDataset dataset(
      {{.path = "p", .framing = Framing::kTfRecord, .payloads = SomePayloads(20, 50), .bad = {4, 15}}});
  const RecordReader strict = dataset.Open({.io = IoMode::kMmap});
  const RecordReader lenient = dataset.Open({.io = IoMode::kMmap, .allow_bad = true});
  std::vector<uint8_t> out;
  RecordBatch batch;
  for (uint64_t i = 0; i < 20; ++i) {
    const std::vector<uint64_t> request = {1, i};
    const bool bad = i == 4 || i == 15;
    CHECK(strict.Copy(i, out).has_value() == !bad);
    CHECK(strict.View(i).has_value() == !bad);
    CHECK(strict.CopyInto(request, batch).has_value() == !bad);
    CHECK(strict.Locate(i));
    REQUIRE(lenient.Copy(i, out));
    CHECK(Text(out) == dataset.payloads()[i]);
    REQUIRE(lenient.CopyInto(request, batch));
    CHECK(Text(batch[1]) == dataset.payloads()[i]);
    CHECK(lenient.View(i));
  }
  const auto error = strict.Copy(4, out).error();
  CHECK(error.code == ErrorCode::kDamage);
  CHECK(error.message == dataset.shard_path(0) + "@" + std::to_string(dataset.locations()[4].offset) +
                             ": record 4 is marked bad: payload_crc");
}

TEST_CASE("a stale shard is an error only for its own records") {
  const MappedDataset dataset(MixedShards());
  AppendTo(dataset.shard_path(3), "x");
  for (const ReaderOptions& way : AllWays()) {
    const RecordReader reader = dataset.Open(way);
    std::vector<uint8_t> out;
    for (uint64_t i = 0; i < reader.size(); ++i) {
      const auto copied = reader.Copy(i, out);
      const bool stale = dataset.locations()[i].shard == 3;
      CHECK(copied.has_value() == !stale);
      if (stale) CHECK(copied.error().code == ErrorCode::kStale);
      if (!stale) CHECK(Text(out) == dataset.payloads()[i]);
    }
    RecordBatch batch;
    CHECK(reader.CopyInto(std::vector<uint64_t>{0, 110}, batch).error().code == ErrorCode::kStale);
    CHECK(reader.CopyInto(std::vector<uint64_t>{0, 257}, batch));  // the reader still works
    CHECK(PayloadsOf(batch)[1] == dataset.payloads()[257]);
  }
}

TEST_CASE("a shard is opened when one of its records is first requested") {
  const MappedDataset dataset(MixedShards());
  const RecordReader reader = dataset.Open();
  std::filesystem::remove(dataset.shard_path(4));
  std::vector<uint8_t> out;
  CHECK(reader.Copy(0, out));
  CHECK(reader.Copy(257, out).error().code == ErrorCode::kStale);
  WriteFile(dataset.shard_path(4), dataset.shard_bytes(4));
  CHECK(reader.Copy(257, out));  // opening is tried again after a failure
}

TEST_CASE("a copy of the dataset is read at a root, in both layouts, even if the original is missing or different") {
  for (const char* below : {"data", ""}) {
    for (bool original_is_gone : {true, false}) {
      CAPTURE(below);
      const MappedDataset dataset(MixedShards());
      const TempDir elsewhere;
      const std::string copy = elsewhere / below;
      std::filesystem::copy(dataset.folder() + "/data", copy, std::filesystem::copy_options::recursive);
      for (size_t shard : {size_t{0}, size_t{1}, size_t{3}, size_t{4}}) {
        if (original_is_gone) std::filesystem::remove(dataset.shard_path(shard));
        if (!original_is_gone) WriteFile(dataset.shard_path(shard), "other");
      }
      const RecordReader reader = dataset.Open({.root = elsewhere.path()});
      CHECK(reader.ShardPath(0)->starts_with(elsewhere.path()));
      RecordBatch batch;
      std::vector<uint64_t> ordinals(reader.size());
      for (uint64_t i = 0; i < ordinals.size(); ++i) ordinals[i] = i;
      REQUIRE(reader.CopyInto(ordinals, batch));
      CHECK(PayloadsOf(batch) == dataset.payloads());
    }
  }
}

/// Writes a map of one OFRecord with `length` bytes of payload, in a shard of `shard_bytes` bytes that does not exist.
void WriteMapOfNoShard(const std::string& path, uint64_t length, uint64_t shard_bytes) {
  auto writer = OffsetMapWriter::Begin(OutputFile::Create(path).value());
  REQUIRE(writer);
  const std::vector<uint64_t> boundaries = {0, 8 + length};
  REQUIRE(writer->AddBlock({.begin = 0, .end = 8 + length, .records = 1, .shard = 0}, PackOffsets(boundaries), {}));
  writer->AddShard({.path = "s", .framing = Framing::kOfRecord, .identity = {{.size = shard_bytes}, 0}, .records = 1});
  REQUIRE(writer->Finish({}));
}

TEST_CASE("a record of a map ends within its shard") {
  const TempDir dir;
  for (const uint64_t shard_bytes : {0U, 107U, 108U, 109U}) {
    CAPTURE(shard_bytes);
    WriteMapOfNoShard(dir / "map", 100, shard_bytes);
    const RecordReader reader = RecordReader::Open(OffsetMap::Open(dir / "map").value(), dir.path());
    const auto place = reader.Locate(0);
    REQUIRE(place.has_value() == (shard_bytes >= 108));
    if (!place) CHECK(place.error().code == ErrorCode::kIndex);
  }
}

TEST_CASE("a moved reader keeps reading, and its views stay valid") {
  const MappedDataset dataset(MixedShards());
  RecordReader first = dataset.Open({.io = IoMode::kMmap});
  const ByteView view = first.View(5).value();
  const RecordReader second = std::move(first);
  CHECK(Text(view) == dataset.payloads()[5]);
  CHECK(second.View(5)->data() == view.data());
}

// A map of a sparse shard with one OFRecord of `length` bytes.
struct HugeRecord {
  explicit HugeRecord(uint64_t length) {
    WriteFile(dir / "s", HeaderOf(Framing::kOfRecord, length));
    possible = ::truncate((dir / "s").c_str(), static_cast<off_t>(8 + length)) == 0;
    if (!possible) MESSAGE("not run: this file system holds no file of ", length, " bytes");
    if (!possible) return;
    auto writer = OffsetMapWriter::Begin(OutputFile::Create(dir / "map").value());
    REQUIRE(writer);
    const std::vector<uint64_t> boundaries = {0, 8 + length};
    REQUIRE(writer->AddBlock({.begin = 0, .end = 8 + length, .records = 1, .shard = 0}, PackOffsets(boundaries), {}));
    writer->AddShard({.path = "s",
                      .framing = Framing::kOfRecord,
                      .identity = IdentifyShard(File::OpenRead(dir / "s").value()).value(),
                      .records = 1});
    REQUIRE(writer->Finish({}));
  }
  [[nodiscard]] RecordReader Open() const {
    return RecordReader::Open(OffsetMap::Open(dir / "map").value(), dir.path(), {.io = IoMode::kPread});
  }

  TempDir dir;
  bool possible = false;
};

TEST_CASE("a batch whose payloads have 2^64 bytes together is refused before any is read") {
  const HugeRecord record(uint64_t{1} << 43);
  if (!record.possible) return;
  const RecordReader reader = record.Open();
  RecordBatch batch;
  const auto copied = reader.CopyInto(std::vector<uint64_t>(size_t{1} << 21), batch);
  REQUIRE_FALSE(copied);
  CHECK(copied.error().code == ErrorCode::kLimit);
  CHECK(copied.error().message == "a batch of 2,097,152 records, of over 2^64 bytes");
}

TEST_CASE("a record that does not fit in memory is a kLimit error and does not end the process") {
  if (kSanitized) return;
  const HugeRecord huge(uint64_t{1} << 43);
  if (!huge.possible) return;
  const RecordReader reader = huge.Open();
  CHECK(reader.Locate(0)->length == uint64_t{1} << 43);
  std::vector<uint8_t> out;
  CHECK(reader.Copy(0, out).error().code == ErrorCode::kLimit);
  RecordBatch batch;
  CHECK(reader.CopyInto(std::vector<uint64_t>{0}, batch).error().code == ErrorCode::kLimit);
}

TEST_CASE("a batch whose size wraps around 64 bits is a kLimit error, not a small buffer") {
  const HugeRecord huge(uint64_t{1} << 43);
  if (!huge.possible) return;
  RecordBatch batch;
  // 2^21 times 2^43 bytes: the 64-bit sum is 0.
  const auto copied = huge.Open().CopyInto(std::vector<uint64_t>(1 << 21, 0), batch);
  REQUIRE_FALSE(copied);
  CHECK(copied.error().code == ErrorCode::kLimit);
}

}  // namespace
}  // namespace ofindex
