#include "index/writing/record_writer.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/files.h"
#include "tests/support/sanitizers.h"
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

TEST_CASE("a written shard has the bytes that the format requires") {
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
    CHECK(writer.size() == RecordBoundaries(framing, payloads).back());
    REQUIRE(writer.Close().has_value());
    CHECK(ReadFile(dir / "shard") == ShardBytes(framing, payloads));
  }
}

TEST_CASE("a shard without records is an empty file") {
  const TempDir dir;
  REQUIRE(Writer(dir / "shard", Framing::kOfRecord).Close().has_value());
  CHECK(ReadFile(dir / "shard").empty());
}

TEST_CASE("an abandoned writer leaves the old shard unchanged, and no other file") {
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

TEST_CASE("an empty OFRecord is refused, and the writer can still be used") {
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

TEST_CASE("records are appended to a whole shard, and to one that does not exist yet") {
  const TempDir dir;
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    std::vector<std::string> payloads = SomePayloads(100, 300);
    payloads[0] = "not empty";
    const std::string path = dir / std::string(Name(framing));
    for (int part = 0; part < 3; ++part) {
      Result<RecordWriter> writer = RecordWriter::Append(path, framing);
      REQUIRE_MESSAGE(writer.has_value(), writer.error().message);
      CHECK(writer->records() == static_cast<uint64_t>(part) * 30);
      for (int i = 0; i < 30; ++i) {
        REQUIRE(writer->Write(AsBytes(payloads[static_cast<size_t>(part * 30 + i)])).has_value());
      }
      CHECK(writer->records() == static_cast<uint64_t>(part + 1) * 30);
      REQUIRE(writer->Close().has_value());
    }
    payloads.resize(90);
    CHECK(ReadFile(path) == ShardBytes(framing, payloads));
  }
}

TEST_CASE("readers of a shard see its old bytes until the writer that appends to it is closed") {
  const TempDir dir;
  const std::string old = ShardBytes(Framing::kTfRecord, {"one"});
  WriteFile(dir / "shard", old);
  Result<RecordWriter> writer = RecordWriter::Append(dir / "shard", Framing::kTfRecord);
  REQUIRE(writer.has_value());
  REQUIRE(writer->Write(AsBytes("two")).has_value());
  REQUIRE(writer->Flush().has_value());
  CHECK(ReadFile(dir / "shard") == old);
  REQUIRE(writer->Close().has_value());
  CHECK(ReadFile(dir / "shard") == ShardBytes(Framing::kTfRecord, {"one", "two"}));
}

TEST_CASE("appending keeps the mode of a shard, and a link to it stays a link") {
  const TempDir dir;
  WriteFile(dir / "shard", ShardBytes(Framing::kTfRecord, {"one"}));
  fs::permissions(dir / "shard", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("shard", dir / "link");
  Result<RecordWriter> writer = RecordWriter::Append(dir / "link", Framing::kTfRecord);
  REQUIRE(writer.has_value());
  REQUIRE(writer->Write(AsBytes("two")).has_value());
  REQUIRE(writer->Close().has_value());
  CHECK(fs::is_symlink(dir / "link"));
  CHECK(ReadFile(dir / "shard") == ShardBytes(Framing::kTfRecord, {"one", "two"}));
  CHECK(fs::status(dir / "shard").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a writer that has failed once keeps failing, and its shard is never published") {
  const TempDir dir;
  const std::string path = dir / "shard";
  const int code = RunInChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit few{300'000, 300'000};
    if (::setrlimit(RLIMIT_FSIZE, &few) != 0) return 1;
    Result<RecordWriter> writer = RecordWriter::Create(path, Framing::kTfRecord);
    if (!writer || !writer->Write(AsBytes("fits"))) return 2;
    if (writer->Write(AsBytes(std::string(400'000, 'x')))) return 3;
    if (writer->Write(AsBytes("fits"))) return 4;
    if (writer->Flush() || writer->Close()) return 5;
    return 0;
  });
  CHECK(code == 0);
  CHECK(!fs::exists(path));
}

TEST_CASE("nothing is written after a shard could not be flushed") {
  const TempDir dir;
  const int code = RunInChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit few{100, RLIM_INFINITY};
    const rlimit many{RLIM_INFINITY, RLIM_INFINITY};
    Result<RecordWriter> writer = RecordWriter::Create(dir / "shard", Framing::kTfRecord);
    if (!writer || !writer->Write(AsBytes(std::string(1000, 'x'))) || ::setrlimit(RLIMIT_FSIZE, &few) != 0) return 1;
    if (writer->Flush()) return 2;
    if (::setrlimit(RLIMIT_FSIZE, &many) != 0) return 3;
    return writer->Write(AsBytes("fits")) || writer->Flush() || writer->Close() ? 4 : 0;
  });
  CHECK(code == 0);
  CHECK(!fs::exists(dir / "shard"));
}

TEST_CASE("nothing is appended after a torn tail, wherever it was torn") {
  const TempDir dir;
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const std::string whole = ShardBytes(framing, {"first", "a second one"});
    const std::vector<uint64_t> boundaries = RecordBoundaries(framing, {"first", "a second one"});
    for (size_t cut = 1; cut < whole.size(); ++cut) {
      if (cut == boundaries[1]) continue;  // between two records it is a whole shard
      WriteFile(dir / "shard", whole.substr(0, cut));
      const Result<RecordWriter> writer = RecordWriter::Append(dir / "shard", framing);
      REQUIRE(!writer.has_value());
      CHECK(writer.error().code == ErrorCode::kDamage);
      CHECK(ReadFile(dir / "shard") == whole.substr(0, cut));
    }
    WriteFile(dir / "shard", whole + std::string(4096, '\0'));  // left by a system crash
    CHECK(!RecordWriter::Append(dir / "shard", framing).has_value());
  }
}

TEST_CASE("nothing is appended to a TFRecord shard whose last payload is damaged") {
  const TempDir dir;
  std::string bytes = ShardBytes(Framing::kTfRecord, {"first", std::string(600 << 10, 'x')});
  bytes[bytes.size() - 100] = 'y';
  WriteFile(dir / "shard", bytes);
  const Result<RecordWriter> writer = RecordWriter::Append(dir / "shard", Framing::kTfRecord);
  REQUIRE(!writer.has_value());
  CHECK(writer.error().code == ErrorCode::kDamage);
  CHECK(writer.error().message.find("@21: the last record's payload") != std::string::npos);
}

TEST_CASE("a compressed TFRecord shard inflates to the bytes of an uncompressed shard") {
  const TempDir dir;
  std::vector<std::string> payloads = SomePayloads(300, 3000);
  payloads.emplace_back(900 << 10, 'l');
  Result<RecordWriter> writer = RecordWriter::Create(dir / "shard", Framing::kTfRecord, Compression::kGzip);
  REQUIRE(writer.has_value());
  for (const std::string& payload : payloads) REQUIRE(writer->Write(AsBytes(payload)).has_value());
  CHECK(writer->size() == RecordBoundaries(Framing::kTfRecord, payloads).back());
  REQUIRE(writer->Close().has_value());
  const std::string expected = ShardBytes(Framing::kTfRecord, payloads);
  const std::string compressed = ReadFile(dir / "shard");
  CHECK(compressed.size() < expected.size());
  CHECK(Inflated(Compression::kGzip, compressed, expected.size() + 1) == expected);
}

TEST_CASE("an OFRecord cannot be compressed") {
  const TempDir dir;
  const auto writer = RecordWriter::Create(dir / "shard", Framing::kOfRecord, Compression::kGzip);
  REQUIRE(!writer.has_value());
  CHECK(writer.error().code == ErrorCode::kUsage);
}

TEST_CASE("two writers of one shard exclude each other, and a writer needs the framing of TFRecord or OFRecord") {
  const TempDir dir;
  const RecordWriter first = Writer(dir / "shard", Framing::kTfRecord);
  CHECK(RecordWriter::Create(dir / "shard", Framing::kTfRecord).error().code == ErrorCode::kLocked);
  CHECK(RecordWriter::Create(dir / "other", Framing::kEmpty).error().code == ErrorCode::kUsage);
}

// Leaves no 64 KiB of free memory to this process, which may take no more from the system; or lifts that limit.
void LimitMemory(bool limited) {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limited ? pages * 4096 : limit.rlim_max;
  ::setrlimit(RLIMIT_AS, &limit);
  for (void* volatile taken = &limit; limited && taken != nullptr;) taken = std::malloc(64 << 10);
}

TEST_CASE("a shard whose writer ran out of memory within a record takes no more records, and is not published" *
          doctest::skip(kSanitized)) {
  const TempDir dir;
  const std::string payload(200 << 10, 'x');  // more than the output buffer has room for as yet
  CHECK(RunInChild([&] {
          Result<RecordWriter> writer = RecordWriter::Create(dir / "shard", Framing::kTfRecord);
          if (!writer || !writer->Write(AsBytes("a"))) return 1;
          LimitMemory(true);
          bool ran_out = false;
          try {
            static_cast<void>(writer->Write(AsBytes(payload)));
          } catch (const std::bad_alloc&) {
            ran_out = true;
          }
          LimitMemory(false);
          if (!ran_out) return 2;
          const Result<void> next = writer->Write(AsBytes("b"));
          if (next || next.error().code != ErrorCode::kLimit) return 3;
          const Result<void> closed = writer->Close();
          return !closed && closed.error().code == ErrorCode::kLimit ? 0 : 4;
        }) == 0);
  CHECK_FALSE(fs::exists(dir / "shard"));
}

}  // namespace
}  // namespace ofindex
