#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "index/build/map_builder.h"
#include "index/update/updater.h"
#include "mmap/record_reader.h"
#include "tests/index/built_set.h"
#include "tests/support/compressed_bytes.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

using Payloads = std::vector<std::string>;

// An index whose shards have grown, plain and compressed, or are missing, and the payload of each ordinal: nullopt for
// one that is gone.
class SetWithHoles : public BuiltSet {
 public:
  SetWithHoles() {
    const std::vector<Payloads> shards = {SomePayloads(9, 40, 1), SomePayloads(7, 40, 2), SomePayloads(5, 40, 3),
                                          SomePayloads(4, 40, 4)};
    Put("part-0", Compressed(Compression::kGzip, ShardBytes(Framing::kTfRecord, shards[0])));
    for (size_t i = 1; i < shards.size(); ++i) {
      Put("part-" + std::to_string(i), ShardBytes(Framing::kTfRecord, shards[i]));
    }
    Build(Options(true));
    for (const Payloads& shard : shards) expected.insert(expected.end(), shard.begin(), shard.end());
    Append(0, Compression::kGzip, 5);
    Append(1, Compression::kNone, 6);
    fs::remove(Shard("part-2"));
    Update();
    for (size_t i = 16; i < 21; ++i) expected[i].reset();
    Append(1, Compression::kNone, 7);
    Update();
  }

  std::vector<std::optional<std::string>> expected;

 private:
  // Adds records to a shard; they get the next ordinals once the index is updated.
  void Append(int shard, Compression compression, uint64_t seed) {
    const std::string path = Shard("part-" + std::to_string(shard));
    const Payloads payloads = SomePayloads(3, 40, seed);
    const std::string bytes = ShardBytes(Framing::kTfRecord, payloads);
    WriteFile(path, ReadFile(path) + (compression == Compression::kNone ? bytes : Compressed(compression, bytes)));
    expected.insert(expected.end(), payloads.begin(), payloads.end());
  }

  void Update() const {
    Progress progress;
    const auto report = UpdateIndex({.index = index()}, progress);
    REQUIRE_MESSAGE(report, report.error().message);
  }
};

struct Answers {
  uint64_t right = 0;
  uint64_t wrong = 0;
  uint64_t errors = 0;  // other than those that are right
};

// Reads every record through the map as it is.
Answers ReadAll(const SetWithHoles& set) {
  Answers answers;
  Result<OffsetMap> map = OffsetMap::Open(set.map());
  if (!map) return {.errors = set.expected.size()};
  const RecordReader reader = RecordReader::Open(std::move(*map), set.folder());
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < std::min<uint64_t>(reader.size(), set.expected.size()); ++i) {
    const std::optional<std::string>& expected = set.expected[i];
    const auto read = reader.Copy(i, bytes);
    const bool is_gone = !read && read.error().code == ErrorCode::kOutOfRange;
    const bool right = expected ? read && AsText(bytes) == *expected : is_gone;
    ++(right ? answers.right : read || is_gone ? answers.wrong : answers.errors);
  }
  return answers;
}

TEST_CASE("the map of an updated index finds all records but those that are gone, and is written the same again") {
  const SetWithHoles set;
  CHECK(ReadAll(set).right == 34);
  const std::string bytes = ReadFile(set.map());
  fs::remove(set.map());
  const auto map = MapOf(set.index());
  REQUIRE(map);
  CHECK(ReadFile(set.map()) == bytes);
  CHECK(map->CheckAll());
  CHECK(map->records() == 34);
  CHECK(map->live() == 29);
}

TEST_CASE("all records of a shard that has grown are of its first piece, and missing shards are marked") {
  const SetWithHoles set;
  const auto map = MapOf(set.index());
  REQUIRE(map);
  const auto shard_of = [&](uint64_t ordinal) { return map->Find(ordinal).value().shard; };
  CHECK(shard_of(0) == 0);
  CHECK(shard_of(25) == 0);
  CHECK(shard_of(9) == 1);
  CHECK(shard_of(28) == 1);
  CHECK(shard_of(31) == 1);
  CHECK(shard_of(24) == 3);
  REQUIRE(map->shards() == 7);
  for (uint64_t shard = 0; shard < 7; ++shard) CHECK(map->Shard(shard)->gone == (shard == 2));
  CHECK(map->Shard(6)->path == "train/part-1");
  CHECK(map->Shard(6)->first_record == 31);
}

TEST_CASE("no changed byte of the map of an updated index gives a wrong record, makes one gone, or brings one back") {
  const SetWithHoles set;
  const std::string bytes = ReadFile(set.map());
  uint64_t errors = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    CAPTURE(at);
    ReplaceFile(set.map(), WithFlippedBit(bytes, at, static_cast<int>(at % 8)));
    const Answers answers = ReadAll(set);
    CHECK(answers.wrong == 0);
    errors += answers.errors;
  }
  CHECK(errors > bytes.size());
}

}  // namespace
}  // namespace ofindex
