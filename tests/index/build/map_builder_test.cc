#include "index/build/map_builder.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "index/output/atomic_file.h"
#include "mmap/record_reader.h"
#include "tests/index/built_set.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Returns every payload read through the map of the set's index; nullopt on any error.
std::optional<std::vector<std::string>> ReadPayloads(const BuiltSet& set) {
  Result<OffsetMap> map = MapOf(set.index());
  if (!map) return std::nullopt;
  const RecordReader reader = RecordReader::Open(std::move(*map), set.folder(), {.allow_bad = true});
  std::vector<std::string> payloads;
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < reader.size(); ++i) {
    if (!reader.Copy(i, bytes)) return std::nullopt;
    payloads.emplace_back(AsText(bytes));
  }
  return payloads;
}

TEST_CASE("a map that is missing, truncated or from another build is rebuilt silently, with the same bytes") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options());
  const std::string map = ReadFile(set.map());
  const auto payloads = ReadPayloads(set);
  REQUIRE((payloads && payloads->size() == 70));
  const auto check = [&] {
    CHECK(ReadPayloads(set) == payloads);
    CHECK(ReadFile(set.map()) == map);
  };
  fs::remove(set.map());
  check();
  for (size_t size = 0; size < map.size(); size += 13) {
    ReplaceFile(set.map(), map.substr(0, size));
    check();
  }
  ReplaceFile(set.map(), map + "x");
  check();
  BuiltSet other;
  other.Put("part-0", RecordBytes(Framing::kTfRecord, "another set"));
  other.Build(other.Options());
  ReplaceFile(set.map(), ReadFile(other.map()));
  check();
}

TEST_CASE("a map with any byte changed gives the right payloads or an error, never wrong payloads") {
  BuiltSet set;
  set.Put("part-0", ShardBytes(Framing::kTfRecord, SomePayloads(20, 40)));
  std::string shard = ShardBytes(Framing::kTfRecord, SomePayloads(10, 40, 2));
  shard[shard.size() - 1] ^= 1;
  set.Put("part-1", shard);
  set.Build(set.Options(true));
  const std::string map = ReadFile(set.map());
  const auto payloads = ReadPayloads(set);
  REQUIRE((payloads && payloads->size() == 30));
  size_t errors = 0;
  for (size_t at = 0; at < map.size(); ++at) {
    ReplaceFile(set.map(), WithFlippedBit(map, at, static_cast<int>(at % 8)));
    const auto read = ReadPayloads(set);
    if (!read) ++errors;
    CAPTURE(at);
    if (read) CHECK(*read == *payloads);
    // Removing the map, as the hint says, repairs it.
    if (!read) fs::remove(set.map());
    if (!read) CHECK(ReadPayloads(set) == payloads);
  }
  CHECK(errors > 0);
}

TEST_CASE("waiting for a map, or building one, can be cancelled and then leaves no files behind") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options());
  const std::string map = ReadFile(set.map());
  Progress progress;
  progress.cancel = true;
  CHECK(MapOf(set.index(), progress));  // an existing map takes no time
  fs::remove(set.map());
  const auto interrupted = [&] {
    const auto opened = MapOf(set.index(), progress);
    return !opened && opened.error().code == ErrorCode::kInterrupted;
  };
  {
    const auto other = AtomicFile::Begin(set.map(), AtomicFile::IfLocked::kFail);
    REQUIRE(other);
    CHECK(interrupted());
  }
  CHECK(interrupted());
  CHECK(FilesIn(set.folder()) == std::set<std::string>{"train", "train.ofidx"});
  progress.cancel = false;
  CHECK(MapOf(set.index(), progress));
  CHECK(ReadFile(set.map()) == map);
}

TEST_CASE("a map that cannot be written next to the index goes to the user's cache folder") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options());
  const auto payloads = ReadPayloads(set);
  fs::remove(set.map());
  // Blocks the temporary file, for root too.
  fs::create_directory(set.map() + ".ofindex-draft");
  const TempDir cache;
  REQUIRE(::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1) == 0);
  CHECK(ReadPayloads(set) == payloads);
  CHECK(!fs::exists(set.map()));
  REQUIRE(FilesIn(cache / "ofindex").size() == 1);
  const std::string cached = cache / "ofindex/" + *FilesIn(cache / "ofindex").begin();
  const auto written = fs::last_write_time(cached);
  CHECK(ReadPayloads(set) == payloads);
  CHECK(fs::last_write_time(cached) == written);
  WriteFile(cached, "damaged");
  CHECK(ReadPayloads(set) == payloads);

  // Damage that stops readers is found and repaired there, too.
  const std::string sound = ReadFile(cached);
  const auto index = IndexFile::Open(set.index()).value();
  for (size_t at = 256; at < sound.size(); at += 97) {
    FlipBit(cached, at, 3);
    const MapDamage damage = FindMapDamage(*index, {}).value();
    if (damage.what.empty()) {  // an unused byte
      WriteFile(cached, sound);
      continue;
    }
    CHECK(damage.path == cached);
    CHECK(RepairMap(index, {}).value() == damage.what);
    CHECK(ReadFile(cached) == sound);
  }
  CHECK(FindMapDamage(*index, {}).value().what.empty());
  REQUIRE(::unsetenv("XDG_CACHE_HOME") == 0);
}

TEST_CASE("an index in a read-only folder is read, with its map in the cache folder") {
  if (::geteuid() == 0) return;  // root can write to any folder
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options());
  fs::remove(set.map());
  fs::permissions(set.folder(), fs::perms::owner_read | fs::perms::owner_exec);
  const TempDir cache;
  REQUIRE(::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1) == 0);
  const auto payloads = ReadPayloads(set);
  REQUIRE(::unsetenv("XDG_CACHE_HOME") == 0);
  fs::permissions(set.folder(), fs::perms::owner_all);
  REQUIRE(payloads);
  CHECK(payloads->size() == 70);
}

}  // namespace
}  // namespace ofindex
