#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "mmap/record_reader.h"
#include "tests/mmap/reading.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"

namespace ofindex {
namespace {

constexpr size_t kLarge = kLentRecordBytes + 1;

// Small and large records in turns; the shorter one of the large ones is just large enough.
std::vector<ShardPlan> LargeShards() {
  std::string text(2 * kLarge, ' ');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i / 5000 % 26);
  const std::vector<std::string> payloads = {"", text.substr(0, kLarge), "small", text, text.substr(0, kLarge - 1)};
  return {{.path = "part-0", .framing = Framing::kOfRecord, .payloads = payloads},
          {.path = "a.tfrecord", .framing = Framing::kTfRecord, .payloads = payloads}};
}

TEST_CASE(
    "for all reader options, lent records are the payloads, and only large ones of mapped shards are not copied") {
  const MappedDataset dataset(LargeShards());
  for (const ReaderOptions& way : AllWays()) {
    const RecordReader reader = dataset.Open(way);
    for (uint64_t i = 0; i < reader.size(); ++i) {
      std::vector<uint8_t> room;
      const Result<LentRecord> record = reader.Lend(i, room);
      REQUIRE(record);
      CHECK(record->Check());
      CHECK((AsText(record->payload()) == dataset.payloads()[i]));
      CHECK(record->is_lent() == (room.empty() && !record->payload().empty()));
      if (record->is_lent()) CHECK(record->is_large());
      if (way.io == IoMode::kPread) CHECK_FALSE(record->is_lent());
      if (way.io == IoMode::kMmap && way.max_maps == 0)
        CHECK(record->is_lent() == (record->payload().size() >= kLarge));
      CHECK(record->Check());
    }
    std::vector<uint8_t> room;
    CHECK(reader.Lend(reader.size(), room).error().code == ErrorCode::kOutOfRange);
  }
}

TEST_CASE("a shard whose time has changed, but not its bytes, lends its records") {
  const MappedDataset dataset(LargeShards());
  const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
  std::vector<uint8_t> room;
  REQUIRE(reader.Lend(1, room));
  const std::string path = *reader.ShardPath(0);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::hours(1));
  const Result<LentRecord> record = reader.Lend(1, room);
  REQUIRE(record);
  CHECK(record->is_lent());
  CHECK((AsText(record->payload()) == dataset.payloads()[1]));
  CHECK(record->Check());
}

TEST_CASE("a shard that changes while a record is lent is noticed, whatever was read") {
  using Change = void (*)(const std::string& path);
  const Change changes[] = {
      [](const std::string& path) { TruncateTo(path, kLarge / 2); },
      [](const std::string& path) { TruncateTo(path, 0); },
      [](const std::string& path) {  // one byte of the record, in place
        std::string content = ReadFile(path);
        content[kLarge / 2] ^= 1;
        WriteFile(path, content);
      },
      [](const std::string& path) { std::filesystem::remove(path); },
  };
  for (const Change change : changes) {
    const MappedDataset dataset(LargeShards());
    const RecordReader reader = dataset.Open({.io = IoMode::kMmap});
    std::vector<uint8_t> room;
    const Result<LentRecord> record = reader.Lend(1, room);
    REQUIRE(record);
    REQUIRE(record->is_lent());
    CHECK(record->Check());
    change(*reader.ShardPath(0));
    const std::string read(AsText(record->payload()));
    const Result<void> checked = record->Check();
    if (!checked) {
      CHECK(checked.error().code == ErrorCode::kStale);
      CHECK_FALSE(checked.error().hint.empty());
    } else {
      CHECK((read == dataset.payloads()[1]));
    }
  }
}

}  // namespace
}  // namespace ofindex
