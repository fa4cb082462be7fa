#include "base/shard_identity.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr int64_t kLongAgo = 1'234'567'890'123'456'789;

// Returns a shard larger than its fingerprint covers.
std::string LargeShard() { return ShardBytes(Framing::kOfRecord, SomePayloads(400, 1000)); }

Result<void> Check(const std::string& path, const ShardIdentity& identity, FactsTrust trust = FactsTrust::kTrusted) {
  auto file = File::OpenRead(path);
  REQUIRE(file);
  return CheckShard(*file, file->Facts().value(), identity, trust);
}

TEST_CASE("a missing shard is stale, but a failure to open a shard is a kIo error") {
  const TempDir dir;
  WriteFile(dir / "file", "x");
  std::filesystem::create_directory(dir / "folder");
  std::filesystem::create_symlink("nowhere", dir / "dangling");
  std::filesystem::create_symlink("circle", dir / "circle");
  REQUIRE(OpenIndexedShard(dir / "file"));
  for (const char* name : {"missing", "folder", "dangling", "circle", "file/below", "missing/below"}) {
    CAPTURE(name);
    const auto opened = OpenIndexedShard(dir / name);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::kStale);
    CHECK(opened.error().hint.text() == kStaleHint);
  }
  const auto long_name = OpenIndexedShard(dir / std::string(5000, 'x'));
  REQUIRE_FALSE(long_name);
  CHECK(long_name.error().code == ErrorCode::kIo);
}

TEST_CASE("a shard is recognised by size, times and inode, or else by size and fingerprint") {
  const std::string bytes = LargeShard();
  const auto touch = [](const std::string& path) { SetMtime(path, kLongAgo + 1); };
  struct Row {
    const char* what;
    std::function<void(const std::string&)> act;
    bool same_by_facts;        // if equal facts are trusted
    bool same_by_fingerprint;  // if facts are ignored
  };
  const Row rows[] = {
      {"nothing", [](const std::string&) {}, true, true},
      {"touched", touch, true, true},
      {"copied", [&](const std::string& path) { ReplaceFile(path, bytes); }, true, true},
      {"copied with its time", [&](const std::string& path) { ReplaceFile(path, bytes), SetMtime(path, kLongAgo); },
       true, true},
      {"rewritten in place", [&](const std::string& path) { WriteFile(path, bytes); }, true, true},
      {"cut by a byte", [&](const std::string& path) { TruncateTo(path, bytes.size() - 1); }, false, false},
      {"cut to nothing", [](const std::string& path) { TruncateTo(path, 0); }, false, false},
      {"cut, with its time",
       [&](const std::string& path) { TruncateTo(path, bytes.size() / 2), SetMtime(path, kLongAgo); }, false, false},
      {"grown by a byte", [](const std::string& path) { AppendTo(path, "x"); }, false, false},
      {"grown, with its time", [](const std::string& path) { AppendTo(path, "x"), SetMtime(path, kLongAgo); }, false,
       false},
      {"zeros of the same size", [&](const std::string& path) { WriteFile(path, std::string(bytes.size(), '\0')); },
       false, false},
      {"the first byte changed", [](const std::string& path) { FlipBit(path, 0, 0); }, false, false},
      {"the last byte changed", [&](const std::string& path) { FlipBit(path, bytes.size() - 1, 7); }, false, false},
      {"linked", [](const std::string& path) { std::filesystem::create_hard_link(path, path + "2"); }, true, true},
      {"renamed and back",
       [](const std::string& path) {
         std::filesystem::rename(path, path + "2");
         std::filesystem::rename(path + "2", path);
       },
       true, true},
      {"permissions", [](const std::string& path) { ::chmod(path.c_str(), 0400); }, true, true},
      {"other bytes written in place, size and time unchanged",
       [&](const std::string& path) { WriteFile(path, std::string(bytes.size(), 'x')), SetMtime(path, kLongAgo); },
       false, false},
      {"replaced by another file of the same size and time",
       [&](const std::string& path) { ReplaceFile(path, std::string(bytes.size(), 'x')), SetMtime(path, kLongAgo); },
       false, false},
      // The price of not reading all bytes: only `verify` finds this.
      {"a byte changed between the pages that are read", [&](const std::string& path) { FlipBit(path, 17'000, 0); },
       true, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const TempDir dir;
    WriteFile(dir / "s", bytes);
    SetMtime(dir / "s", kLongAgo);
    const ShardIdentity identity = IdentifyShard(File::OpenRead(dir / "s").value()).value();
    row.act(dir / "s");
    CHECK(Check(dir / "s", identity).has_value() == row.same_by_facts);
    CHECK(Check(dir / "s", identity, FactsTrust::kIgnored).has_value() == row.same_by_fingerprint);
  }
}

TEST_CASE("the error of a stale shard gives its name, what was expected, what was found, and the remedy") {
  const TempDir dir;
  WriteFile(dir / "s", "0123456789");
  ShardIdentity identity = IdentifyShard(File::OpenRead(dir / "s").value()).value();
  CHECK(identity.size == 10);
  AppendTo(dir / "s", "x");
  const auto grown = Check(dir / "s", identity);
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::kStale);
  CHECK(grown.error().message == dir / "s" + ": the shard is not the file that was indexed; expected 10 bytes, got 11");
  CHECK(grown.error().hint.text().find("ofindex update") != std::string::npos);

  WriteFile(dir / "s", "9876543210");
  identity.mtime_ns = 0;
  const auto other = Check(dir / "s", identity);
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::kStale);
  CHECK(other.error().message.find("expected fingerprint ") != std::string::npos);
}

TEST_CASE("an empty shard has an identity too") {
  const TempDir dir;
  WriteFile(dir / "s", "");
  const ShardIdentity identity = IdentifyShard(File::OpenRead(dir / "s").value()).value();
  CHECK(identity.size == 0);
  SetMtime(dir / "s", kLongAgo);
  CHECK(Check(dir / "s", identity));
  AppendTo(dir / "s", "x");
  CHECK_FALSE(Check(dir / "s", identity));
}

}  // namespace
}  // namespace ofindex
