#include "index/writing/adopted_set.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/index/writing/shard_sets.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

// Shards as tasks leave them, one for each payload.
std::vector<std::string> Finished(const TempDir& dir, Framing framing, const std::vector<const char*>& payloads) {
  std::vector<std::string> paths;
  fs::create_directory(dir / ".staged");
  for (const char* payload : payloads) {
    paths.push_back(dir / (".staged/" + std::string(payload)));
    WriteFile(paths.back(), ShardBytes(framing, {payload}));
  }
  return paths;
}

std::vector<std::string> Adopted(const ShardSetRequest& request, const std::vector<std::string>& shards, bool append) {
  Result<std::vector<std::string>> paths = AdoptShards(request, shards, append);
  REQUIRE_MESSAGE(paths.has_value(), paths.error().message);
  return std::move(*paths);
}

// The files of the set in `dir`, one after another.
std::string JoinedFiles(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) all += ReadFile(path);
  return all;
}

TEST_CASE("finished shards become a set, in order") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const TempDir dir;
    const auto paths = Adopted(Request(dir / "deep/set", framing), Finished(dir, framing, {"b", "a", "c"}), false);
    CHECK(ContentOf(dir / "deep") == std::vector<std::string>{"set"});
    CHECK(paths.size() == 3);
    CHECK(ContentOf(dir / "deep/set").size() == 3);
    CHECK(JoinedFiles(paths) == ShardBytes(framing, {"b", "a", "c"}));
  }
}

TEST_CASE("a set is replaced only by force, and other files stay") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kTfRecord);
  Adopted(request, Finished(dir, Framing::kTfRecord, {"a", "b", "c"}), false);
  WriteFile(dir / "set/words.txt", "words");
  const auto next = Finished(dir, Framing::kTfRecord, {"d"});
  const Result<std::vector<std::string>> refused = AdoptShards(request, next, false);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUsage);
  request.force = true;
  Adopted(request, next, false);
  CHECK(ContentOf(dir / "set") == std::vector<std::string>{"set-00000-of-00001.tfrecord", "words.txt"});
  CHECK(ReadFile(dir / "set/set-00000-of-00001.tfrecord") == ShardBytes(Framing::kTfRecord, {"d"}));
}

TEST_CASE("appended shards follow those that are there, which keep their inodes") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const TempDir dir;
    const ShardSetRequest request = Request(dir / "set", framing);
    std::vector<const char*> many(12, "x");
    many.back() = "y";
    WriteSet(
        [&] {
          ShardSetRequest sized = request;
          sized.shards = many.size();
          return sized;
        }(),
        many);
    const ino_t last =
        StatOf(dir / "set" + (framing == Framing::kOfRecord ? "/part-11" : "/set-00011-of-00012.tfrecord")).st_ino;
    fs::permissions(dir / "set" + (framing == Framing::kOfRecord ? "/part-11" : "/set-00011-of-00012.tfrecord"),
                    fs::perms(0600));
    fs::permissions(dir / "set" + (framing == Framing::kOfRecord ? "/part-0" : "/set-00000-of-00012.tfrecord"),
                    fs::perms(0640));
    const auto paths = Adopted(request, Finished(dir, framing, {"a", "b"}), true);
    REQUIRE(paths.size() == 14);
    CHECK(ContentOf(dir / "set").size() == 14);
    CHECK(StatOf(paths[11]).st_ino == last);
    CHECK((StatOf(paths[11]).st_mode & 0777) == 0600);
    CHECK((StatOf(paths[12]).st_mode & 0777) == 0640);
    many.insert(many.end(), {"a", "b"});
    CHECK(JoinedFiles(paths) == ShardBytes(framing, std::vector<std::string>(many.begin(), many.end())));
  }
}

TEST_CASE("appending to nothing makes a set, and what does not fit changes nothing") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kTfRecord);
  Adopted(request, Finished(dir, Framing::kTfRecord, {"a"}), true);
  const std::vector<std::string> before = ContentOf(dir / "set");
  CHECK(before == std::vector<std::string>{"set-00000-of-00001.tfrecord"});
  const auto next = Finished(dir, Framing::kTfRecord, {"b"});

  request.compression = Compression::kGzip;
  const auto mixed = AdoptShards(request, next, true);
  REQUIRE_FALSE(mixed.has_value());
  CHECK(mixed.error().message.find("set-00000-of-00001.tfrecord.gz") != std::string::npos);
  request.compression = Compression::kNone;
  const auto none = AdoptShards(request, {}, true);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::kUsage);
  const auto missing = AdoptShards(request, {next[0], dir / "gone"}, true);
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::kIo);
  const auto other = AdoptShards(Request(dir / "set", Framing::kOfRecord), next, true);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().message.find("of another set") != std::string::npos);

  CHECK(ContentOf(dir / "set") == before);
  CHECK(ReadFile(dir / "set/set-00000-of-00001.tfrecord") == ShardBytes(Framing::kTfRecord, {"a"}));
  CHECK(ReadFile(next[0]) == ShardBytes(Framing::kTfRecord, {"b"}));
  CHECK(ContentOf(dir.path()) == std::vector<std::string>{".staged", "set"});
}

TEST_CASE("a set that lacks a shard, or is unfinished, cannot be continued") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const TempDir dir;
    const ShardSetRequest request = Request(dir / "set", framing);
    const auto paths = Adopted(request, Finished(dir, framing, {"a", "b", "c"}), false);
    CHECK(CheckAppend(request).has_value());
    const auto next = Finished(dir, framing, {"d"});

    WriteFile(dir / "set/_ofindex_unfinished", "");
    CHECK_FALSE(CheckAppend(request).has_value());
    CHECK_FALSE(AdoptShards(request, next, true).has_value());
    fs::remove(dir / "set/_ofindex_unfinished");

    fs::remove(paths[1]);
    const Result<void> checked = CheckAppend(request);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().code == ErrorCode::kUsage);
    CHECK(checked.error().message.find(framing == Framing::kOfRecord
                                           ? "expected part-1 of a set of 2 shards"
                                           : "expected set-00000-of-00002.tfrecord") != std::string::npos);
    CHECK_FALSE(AdoptShards(request, next, true).has_value());
    CHECK(ContentOf(dir / "set").size() == 2);
  }
}

}  // namespace
}  // namespace ofindex
