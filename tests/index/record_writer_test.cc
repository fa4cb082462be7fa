#include "index/record_writer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

RecordWriter Writer(const std::string& path, Framing framing) {
  Result<RecordWriter> writer = RecordWriter::Create(path, framing);
  REQUIRE_MESSAGE(writer.has_value(), writer.error().message);
  return std::move(*writer);
}

TEST_CASE("a shard that is written has the bytes that the format says") {
  const TempDir dir;
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    std::vector<std::string> payloads = SomePayloads(200, 300);
    payloads[0] = "not empty";
    payloads.emplace_back(700 << 10, 'l');  // larger than any buffer
    payloads.emplace_back("\0", 1);
    if (framing == Framing::kTfRecord) payloads.emplace_back();
    RecordWriter writer = Writer(dir / "shard", framing);
    for (const std::string& payload : payloads) REQUIRE(writer.Write(AsBytes(payload)).has_value());
    CHECK(writer.records() == payloads.size());
    CHECK(writer.size() == RecordPoints(framing, payloads).back());
    REQUIRE(writer.Close().has_value());
    CHECK(ReadFile(dir / "shard") == ShardBytes(framing, payloads));
  }
}

TEST_CASE("a shard without records is an empty file") {
  const TempDir dir;
  REQUIRE(Writer(dir / "shard", Framing::kOfRecord).Close().has_value());
  CHECK(ReadFile(dir / "shard").empty());
}

TEST_CASE("an abandoned writer leaves the old shard, and nothing beside it") {
  const TempDir dir;
  WriteFile(dir / "shard", "old");
  {
    RecordWriter writer = Writer(dir / "shard", Framing::kTfRecord);
    REQUIRE(writer.Write(AsBytes(std::string(1 << 20, 'x'))).has_value());
    CHECK(ReadFile(dir / "shard") == "old");
  }
  CHECK(ReadFile(dir / "shard") == "old");
  CHECK(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("an empty OFRecord is refused, and the writer goes on") {
  const TempDir dir;
  RecordWriter writer = Writer(dir / "shard", Framing::kOfRecord);
  REQUIRE(writer.Write(AsBytes("one")).has_value());
  const Result<void> empty = writer.Write({});
  REQUIRE(!empty.has_value());
  CHECK(empty.error().code == ErrorCode::kUsage);
  REQUIRE(writer.Write(AsBytes("two")).has_value());
  CHECK(writer.records() == 2);
  REQUIRE(writer.Close().has_value());
  CHECK(ReadFile(dir / "shard") == ShardBytes(Framing::kOfRecord, {"one", "two"}));
}

TEST_CASE("two writers of one shard exclude each other, and no shard is written as empty") {
  const TempDir dir;
  const RecordWriter first = Writer(dir / "shard", Framing::kTfRecord);
  CHECK(RecordWriter::Create(dir / "shard", Framing::kTfRecord).error().code == ErrorCode::kLocked);
  CHECK(RecordWriter::Create(dir / "other", Framing::kEmpty).error().code == ErrorCode::kUsage);
}

}  // namespace
}  // namespace ofindex
