#include "index/writing/shard_set_writer.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

TEST_CASE("shards appear all at once, in the order of the records, and a shard without records is empty") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kTfRecord);
  request.shards = 4;
  ShardSetWriter writer = Begin(Plan(request), {2, 0, 3, 1});
  for (const char* payload : {"a", "b", "c", "e", "f"}) {
    if (*payload == 'e') REQUIRE(writer.PassOver().has_value());
    REQUIRE(writer.Write(AsBytes(payload)).has_value());
    CHECK(ContentOf(dir.path()) == std::vector<std::string>{"set.ofindex-draft"});
  }
  CHECK(writer.records() == 5);
  REQUIRE(writer.Publish().has_value());
  const auto shard = [&](int i) { return ReadFile(dir / ("set/set-0000" + std::to_string(i) + "-of-00004.tfrecord")); };
  CHECK(ContentOf(dir / "set").size() == 4);
  CHECK(shard(0) == ShardBytes(Framing::kTfRecord, {"a", "b"}));
  CHECK(shard(1).empty());
  CHECK(shard(2) == ShardBytes(Framing::kTfRecord, {"c", "e"}));
  CHECK(shard(3) == ShardBytes(Framing::kTfRecord, {"f"}));
}

TEST_CASE("a refused record does not count toward the records of a shard") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kOfRecord);
  request.shards = 2;
  ShardSetWriter writer = Begin(Plan(request), {1, 1});
  for (const char* payload : {"a", "b"}) {
    CHECK(writer.Write({}).error().code == ErrorCode::kUsage);
    REQUIRE(writer.Write(AsBytes(payload)).has_value());
  }
  REQUIRE(writer.Publish().has_value());
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"a"}));
  CHECK(ReadFile(dir / "set/part-1") == ShardBytes(Framing::kOfRecord, {"b"}));
}

TEST_CASE("a set whose next shard cannot be opened refuses records, and is not published") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kTfRecord);
  request.shards = 3;
  ShardSetWriter writer = Begin(Plan(request), {1, 1, 1});
  REQUIRE(writer.Write(AsBytes("a")).has_value());
  fs::remove_all(dir / "set.ofindex-draft");
  CHECK(writer.Write(AsBytes("b")).error().code == ErrorCode::kIo);
  CHECK(writer.Write(AsBytes("b")).error().code == ErrorCode::kIo);
  CHECK(writer.PassOver().error().code == ErrorCode::kIo);
  CHECK(writer.AddFile("labels.txt", AsBytes("x")).error().code == ErrorCode::kIo);
  CHECK(writer.Finish().error().code == ErrorCode::kIo);
  CHECK(writer.Publish().error().code == ErrorCode::kIo);
  CHECK_FALSE(fs::exists(dir / "set"));
}

TEST_CASE("an abandoned set leaves nothing, not even the folder created for it") {
  const TempDir dir;
  {
    ShardSetWriter writer = Begin(Plan(Request(dir / "a/b", Framing::kOfRecord)), {1});
    REQUIRE(writer.Write(AsBytes("x")).has_value());
  }
  CHECK(!fs::exists(dir / "a/b"));
}

TEST_CASE("folders created around an abandoned set are removed, and existing ones are kept") {
  const TempDir dir;
  fs::create_directory(dir / "there");
  for (const char* out :
       {"there/new/deep/set", "there/new/deep/", "there/new/../other/set", "there/new/one.tfrecord"}) {
    CAPTURE(out);
    {
      ShardSetWriter writer = Begin(Plan(Request(dir / out, Framing::kTfRecord)), {2});
      REQUIRE(writer.Write(AsBytes("a")));
      ShardSetWriter moved = std::move(writer);
      REQUIRE(moved.Finish());
    }
    CHECK(fs::is_empty(dir / "there"));
  }
}

TEST_CASE("an earlier set is replaced only by force, whole, and other files are kept") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kOfRecord);
  request.shards = 3;
  ShardSetWriter first = Begin(Plan(request), {1, 1, 1});
  for (const char* payload : {"1", "2", "3"}) REQUIRE(first.Write(AsBytes(payload)).has_value());
  REQUIRE(first.Publish().has_value());
  WriteFile(dir / "set/notes.txt", "mine");
  WriteFile(dir / "set/part-list", "mine");

  fs::create_directory(dir / "set/part-7");
  request.shards = 1;
  const Result<ShardSetPlan> refused = PlanShardSet(request);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUsage);
  CHECK(refused.error().hint.text().find("--force") != std::string::npos);

  request.force = true;
  ShardSetWriter second = Begin(Plan(request), {1});
  REQUIRE(second.Write(AsBytes("new")).has_value());
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"1"}));
  REQUIRE(second.Publish().has_value());
  CHECK(ContentOf(dir / "set") == std::vector<std::string>{"notes.txt", "part-0", "part-7", "part-list"});
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"new"}));
}

TEST_CASE("a set replaces another as a whole; other files keep their inodes, and the folder its mode") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 3), {"1", "2", "3"});
  WriteFile(dir / "set/notes.txt", "mine");
  WriteFile(dir / "set/.hidden", "mine");
  WriteFile(dir / "set/empty", "");
  fs::create_symlink("notes.txt", dir / "set/link");
  REQUIRE(::chmod((dir / "set").c_str(), 0750) == 0);
  const auto notes = StatOf(dir / "set/notes.txt");
  const auto folder = StatOf(dir / "set");
  WriteSet(Forced(dir / "set", 2), {"4", "5"});
  CHECK(ContentOf(dir.path()) == std::vector<std::string>{"set"});
  CHECK(ContentOf(dir / "set") ==
        std::vector<std::string>{".hidden", "empty", "link", "notes.txt", "part-0", "part-1"});
  CHECK(ReadFile(dir / "set/part-1") == ShardBytes(Framing::kOfRecord, {"5"}));
  CHECK(StatOf(dir / "set/notes.txt").st_ino == notes.st_ino);
  CHECK(StatOf(dir / "set/notes.txt").st_nlink == 1);
  CHECK(fs::read_symlink(dir / "set/link") == "notes.txt");
  CHECK(StatOf(dir / "set").st_ino != folder.st_ino);
  CHECK((StatOf(dir / "set").st_mode & 07777) == 0750);
}

TEST_CASE("new shards have the mode of the old ones, and the folder is inaccessible while it is written") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 2), {"1", "2"});
  const mode_t usual = StatOf(dir / "set").st_mode;
  REQUIRE(::chmod((dir / "set/part-0").c_str(), 0600) == 0);
  REQUIRE(::chmod((dir / "set/part-1").c_str(), 0640) == 0);
  {
    const ShardSetWriter writer = Begin(Plan(Forced(dir / "set", 3)), {1, 1, 1});
    CHECK((StatOf(dir / "set.ofindex-draft").st_mode & 07777) == 0700);
  }
  for (const bool exchanged : {true, false}) {  // as a whole, and file by file
    if (!exchanged) fs::create_directory(dir / "set/more");
    WriteSet(Forced(dir / "set", 3), {"3", "4", "5"});
    CHECK((StatOf(dir / "set/part-0").st_mode & 07777) == 0600);
    CHECK((StatOf(dir / "set/part-1").st_mode & 07777) == 0640);
    CHECK((StatOf(dir / "set/part-2").st_mode & 07777) == 0600);  // no old file of this name: the mode of the first one
    CHECK(StatOf(dir / "set").st_mode == usual);
  }
  WriteSet(Forced(dir / "new", 1), {"6"});
  CHECK(StatOf(dir / "new").st_mode == usual);
}

TEST_CASE("a file that appears under a shard's name after the plan is kept") {
  const TempDir dir;
  const ShardSetPlan plan = Plan(Request(dir / "x.tfrecord", Framing::kTfRecord));
  WriteFile(dir / "x.tfrecord", "another's");
  ShardSetWriter writer = Begin(plan, {1});
  REQUIRE(writer.Write(AsBytes("a")).has_value());
  const Result<void> published = writer.Publish();
  REQUIRE(!published.has_value());
  CHECK(published.error().code == ErrorCode::kIo);
  CHECK(ReadFile(dir / "x.tfrecord") == "another's");
}

TEST_CASE("a link to a folder stays, and so do folders that cannot be exchanged: the set in them is replaced") {
  const TempDir dir;
  fs::create_directories(dir / "far/set");
  fs::create_symlink("far/set", dir / "link");
  WriteSet(Forced(dir / "link", 2), {"1", "2"});
  CHECK(fs::is_symlink(dir / "link"));
  CHECK(ContentOf(dir / "far") == std::vector<std::string>{"set"});
  CHECK(ContentOf(dir / "far/set") == std::vector<std::string>{"part-0", "part-1"});

  fs::create_directory(dir / "far/set/more");
  WriteFile(dir / "far/set/more/file", "mine");
  const auto folder = StatOf(dir / "far/set");
  WriteSet(Forced(dir / "link", 1), {"3"});
  CHECK(StatOf(dir / "far/set").st_ino == folder.st_ino);
  CHECK(ContentOf(dir / "far") == std::vector<std::string>{"set"});
  CHECK(ContentOf(dir / "far/set") == std::vector<std::string>{"more", "part-0"});
  CHECK(ReadFile(dir / "far/set/part-0") == ShardBytes(Framing::kOfRecord, {"3"}));
  CHECK(ReadFile(dir / "far/set/more/file") == "mine");

  fs::remove(dir / "link");
  fs::create_symlink("nowhere", dir / "link");
  CHECK(PlanShardSet(Forced(dir / "link", 1)).error().code != ErrorCode::kLocked);
  CHECK(!fs::exists(dir / "nowhere"));
}

TEST_CASE("the next writer removes the files of a killed one, and no other files") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 1), {"1"});
  WriteFile(dir / "set/notes.txt", "mine");
  const std::string temporary = dir / "set.ofindex-draft";
  fs::create_directory(temporary);
  WriteFile(temporary + "/part-0", "half");
  WriteFile(temporary + "/part-1.ofindex-draft", "half");
  WriteFile(temporary + "/_labels.tsv", "0\ta\n");
  fs::create_hard_link(dir / "set/notes.txt", temporary + "/notes.txt");
  WriteSet(Forced(dir / "set", 1), {"2"});
  CHECK(ContentOf(dir.path()) == std::vector<std::string>{"set"});
  CHECK(ContentOf(dir / "set") == std::vector<std::string>{"notes.txt", "part-0"});

  for (const bool is_folder : {true, false}) {
    fs::create_directory(temporary);
    WriteFile(temporary + "/part-0", "half");
    if (is_folder) fs::create_directory(temporary + "/part-1");
    if (!is_folder) WriteFile(temporary + "/notes.txt", "others than those in the set");
    const auto writer = ShardSetWriter::Begin(Plan(Forced(dir / "set", 1)), {1});
    REQUIRE(!writer);
    CHECK(writer.error().code == ErrorCode::kIo);
    CHECK(ContentOf(temporary).size() == 2);
    CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"2"}));
    fs::remove_all(temporary);
  }
  WriteFile(temporary, "a file");
  CHECK(ShardSetWriter::Begin(Plan(Forced(dir / "set", 1)), {1}).error().code == ErrorCode::kIo);
  CHECK(ReadFile(temporary) == "a file");
}

TEST_CASE("a set has one writer, and shards that appear meanwhile do not become part of it") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 1), {"1"});
  ShardSetWriter writer = Begin(Plan(Forced(dir / "set", 1)), {1});
  CHECK(ShardSetWriter::Begin(Plan(Forced(dir / "set", 1)), {1}).error().code == ErrorCode::kLocked);
  WriteFile(dir / "set/part-5", "");
  CHECK(writer.Publish().error().code == ErrorCode::kIo);
  CHECK(ContentOf(dir / "set") == std::vector<std::string>{"part-0", "part-5"});
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"1"}));
}

TEST_CASE("a set is not published if a shard of another set appears before that") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 1), {"1"});
  ShardSetWriter writer = Begin(Plan(Forced(dir / "set", 1)), {1});
  WriteFile(dir / "set/a.tfrecord", ShardBytes(Framing::kTfRecord, {"x"}));
  CHECK(writer.Publish().error().code == ErrorCode::kIo);
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"1"}));
}

TEST_CASE("a set that appears after a new one is planned is not mixed with it") {
  const TempDir dir;
  ShardSetPlan plan = Plan(Forced(dir / "set", 1));
  REQUIRE(plan.creates_folder);
  WriteSet(Forced(dir / "set", 2), {"1", "2"});
  ShardSetWriter writer = Begin(std::move(plan), {1});
  CHECK(writer.Publish().error().code == ErrorCode::kIo);
  CHECK(ContentOf(dir / "set") == std::vector<std::string>{"part-0", "part-1"});
}

TEST_CASE("a failing writer leaves the mark of an earlier unfinished one") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 1), {"1"});
  fs::create_directory(dir / "set/sub");  // the folder cannot be exchanged as a whole
  WriteFile(dir / "set/_ofindex_unfinished", "x.tfrecord");
  ShardSetWriter writer = Begin(Plan(Forced(dir / "set", 1)), {1});
  CHECK(writer.Publish().error().code == ErrorCode::kFormat);
  CHECK(ReadFile(dir / "set/_ofindex_unfinished") == "x.tfrecord");
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"1"}));
}

TEST_CASE("shards are not held open, so that their number is not limited") {
  const TempDir dir;
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &old) == 0);
  rlimit few = old;
  few.rlim_cur = 100;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const std::vector<const char*> payloads(300, "x");
  WriteSet(Forced(dir / "set", 300), payloads);
  rlimit now{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &now) == 0);
  CHECK(now.rlim_cur == 100);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &old) == 0);
  CHECK(ContentOf(dir / "set").size() == 300);
}

TEST_CASE("records are spread evenly, and every record has a shard") {
  for (const uint64_t records : {0U, 1U, 7U, 8U, 9U, 1000U}) {
    for (const uint64_t shards : {1U, 2U, 3U, 8U}) {
      const std::vector<uint64_t> shares = EvenShares(records, shards);
      uint64_t sum = 0;
      for (const uint64_t share : shares) sum += share;
      CHECK(sum == records);
      const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
      CHECK(*most - *least <= 1);
    }
  }
}

}  // namespace
}  // namespace ofindex
