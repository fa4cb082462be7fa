#include "index/writing/shard_set_writer.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

ShardSetRequest Request(const std::string& out, Framing framing) {
  ShardSetRequest request;
  request.out = out;
  request.framing = framing;
  return request;
}

ShardSetPlan Plan(const ShardSetRequest& request) {
  Result<ShardSetPlan> plan = PlanShardSet(request);
  REQUIRE_MESSAGE(plan.has_value(), plan.error().message);
  return std::move(*plan);
}

ShardSetWriter Begin(const ShardSetPlan& plan, std::vector<uint64_t> records) {
  Result<ShardSetWriter> writer = ShardSetWriter::Begin(plan, std::move(records));
  REQUIRE_MESSAGE(writer.has_value(), writer.error().message);
  return std::move(*writer);
}

TEST_CASE("the name of the output decides between one file and a folder, and names the shards") {
  const TempDir dir;
  struct Case {
    std::string out;
    Framing framing;
    std::optional<uint64_t> shards;
    Compression compression;
    std::vector<std::string> names;
  };
  const Case cases[] = {
      {"x.tfrecord", Framing::kTfRecord, {}, Compression::kNone, {"x.tfrecord"}},
      {"x.tfrecord.gz", Framing::kTfRecord, {}, Compression::kGzip, {"x.tfrecord.gz"}},
      {"x.ofrecord", Framing::kOfRecord, {}, Compression::kNone, {"x.ofrecord"}},
      {"part-7", Framing::kOfRecord, {}, Compression::kNone, {"part-7"}},
      {"part-7", Framing::kTfRecord, {}, Compression::kNone, {"part-7"}},
      {"part-x", Framing::kOfRecord, {}, Compression::kNone, {"part-x/part-0"}},
      {"train", Framing::kOfRecord, 2, Compression::kNone, {"train/part-0", "train/part-1"}},
      {"train/", Framing::kTfRecord, {}, Compression::kNone, {"train/train-00000-of-00001.tfrecord"}},
      {"x.tfrecord", Framing::kTfRecord, 1, Compression::kGzip, {"x.tfrecord/x.tfrecord-00000-of-00001.tfrecord.gz"}},
  };
  for (const Case& one : cases) {
    ShardSetRequest request = Request(dir / one.out, one.framing);
    request.shards = one.shards;
    request.compression = one.compression;
    const ShardSetPlan plan = Plan(request);
    std::vector<std::string> names;
    for (const std::string& path : plan.paths) names.push_back(fs::path(path).lexically_relative(dir.path()).string());
    CHECK(names == one.names);
    CHECK(plan.replaced.empty());
  }
}

TEST_CASE("a name that contradicts the format or the compression is refused") {
  const TempDir dir;
  CHECK(PlanShardSet(Request(dir / "x.tfrecord", Framing::kOfRecord)).error().code == ErrorCode::kUsage);
  CHECK(PlanShardSet(Request(dir / "x.ofrecord", Framing::kTfRecord)).error().code == ErrorCode::kUsage);
  CHECK(PlanShardSet(Request(dir / "x.tfrecord.gz", Framing::kTfRecord)).error().code == ErrorCode::kUsage);
  ShardSetRequest compressed = Request(dir / "x", Framing::kOfRecord);
  compressed.compression = Compression::kGzip;
  CHECK(PlanShardSet(compressed).error().code == ErrorCode::kUsage);
}

TEST_CASE("shards appear all at once, in the order of the records, and a shard without records is empty") {
  const TempDir dir;
  ShardSetRequest request = Request(dir / "set", Framing::kTfRecord);
  request.shards = 4;
  ShardSetWriter writer = Begin(Plan(request), {2, 0, 3, 1});
  for (const char* payload : {"a", "b", "c", "e", "f"}) {
    if (*payload == 'e') REQUIRE(writer.PassOver().has_value());
    REQUIRE(writer.Write(AsBytes(payload)).has_value());
    CHECK(NamesIn(dir.path()) == std::vector<std::string>{"set.ofindex-draft"});
  }
  CHECK(writer.records() == 5);
  REQUIRE(writer.Publish().has_value());
  const auto shard = [&](int i) { return ReadFile(dir / ("set/set-0000" + std::to_string(i) + "-of-00004.tfrecord")); };
  CHECK(NamesIn(dir / "set").size() == 4);
  CHECK(shard(0) == ShardBytes(Framing::kTfRecord, {"a", "b"}));
  CHECK(shard(1).empty());
  CHECK(shard(2) == ShardBytes(Framing::kTfRecord, {"c", "e"}));
  CHECK(shard(3) == ShardBytes(Framing::kTfRecord, {"f"}));
}

TEST_CASE("a refused record takes no place of another one") {
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
  CHECK(NamesIn(dir / "set") == std::vector<std::string>{"notes.txt", "part-0", "part-7", "part-list"});
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"new"}));
}

void WriteSet(const ShardSetRequest& request, const std::vector<const char*>& payloads) {
  ShardSetWriter writer = Begin(Plan(request), std::vector<uint64_t>(payloads.size(), 1));
  for (const char* payload : payloads) REQUIRE(writer.Write(AsBytes(payload)));
  const Result<void> published = writer.Publish();
  REQUIRE_MESSAGE(published.has_value(), published.error().message);
}

struct stat StatOf(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info;
}

// Returns a forced request for a set of `shards` at `out`.
ShardSetRequest Forced(const std::string& out, uint64_t shards) {
  ShardSetRequest request = Request(out, Framing::kOfRecord);
  request.shards = shards;
  request.force = true;
  return request;
}

TEST_CASE("a set replaces another as a whole; other files keep their inodes, and the folder its mode") {
  const TempDir dir;
  WriteSet(Forced(dir / "set", 3), {"1", "2", "3"});
  WriteFile(dir / "set/notes.txt", "mine");
  WriteFile(dir / "set/.hidden", "mine");
  fs::create_symlink("notes.txt", dir / "set/link");
  REQUIRE(::chmod((dir / "set").c_str(), 0750) == 0);
  const auto notes = StatOf(dir / "set/notes.txt");
  const auto folder = StatOf(dir / "set");
  WriteSet(Forced(dir / "set", 2), {"4", "5"});
  CHECK(NamesIn(dir.path()) == std::vector<std::string>{"set"});
  CHECK(NamesIn(dir / "set") == std::vector<std::string>{".hidden", "link", "notes.txt", "part-0", "part-1"});
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

TEST_CASE("a set is refused, even by force, if a build of the folder would include other files") {
  const TempDir dir;
  fs::create_directories(dir / "set/below");
  const std::string records = ShardBytes(Framing::kTfRecord, {"a", "b"});
  struct Row {
    std::string there;
    std::string bytes;
    Framing framing;
    bool refused;
  };
  const std::vector<Row> rows = {
      {"set-00000-of-00001.tfrecord", "", Framing::kTfRecord, false},
      {"set-00007-of-00009.tfrecord.gz", "", Framing::kTfRecord, false},  // an earlier set, to be replaced
      {"part-0", "", Framing::kOfRecord, false},
      {"old-00000-of-00001.tfrecord", "", Framing::kTfRecord, true},     // the folder was renamed
      {"old-00000-of-00001.tfrecord.gz", "", Framing::kTfRecord, true},  // compressed or not
      {"old-00000-of-00001.tfrecord", "", Framing::kOfRecord, true},
      {"part-0", "", Framing::kTfRecord, true},
      {"part-r-00000", "", Framing::kOfRecord, true},
      {"a.tfrecord", records, Framing::kTfRecord, true},
      {"a.tfrecord", "text", Framing::kTfRecord, true},  // would be a damaged shard
      {"a.tfrecord", "text", Framing::kOfRecord, false},
      {"a.tfrecord", records, Framing::kOfRecord, true},
      {"x_00", records, Framing::kTfRecord, true},  // whatever its name
      {"x_00", "text", Framing::kTfRecord, false},
      {"a-0-of-2.rec", records, Framing::kTfRecord, true},
      {"below/a.tfrecord", records, Framing::kTfRecord, true},
      {"below/part-0", records, Framing::kOfRecord, true},  // not part of the replaced set
      {"notes-00000-of-00001.txt", "text", Framing::kTfRecord, false},
      {"notes.txt", "", Framing::kTfRecord, false},
      {"_a.tfrecord", records, Framing::kTfRecord, false},
      {"a.tfrecord.ofindex-draft", records, Framing::kTfRecord, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.there);
    WriteFile(dir / ("set/" + row.there), row.bytes);
    ShardSetRequest request = Request(dir / "set", row.framing);
    for (const bool force : {false, true}) {
      request.force = force;
      const Result<ShardSetPlan> plan = PlanShardSet(request);
      if (row.refused) {
        REQUIRE(!plan.has_value());
        CHECK(plan.error().code == ErrorCode::kUsage);
        CHECK(plan.error().message.find(row.there) != std::string::npos);
      } else if (force) {
        CHECK(plan.has_value());
      }
    }
    fs::remove(dir / ("set/" + row.there));
  }
}

TEST_CASE("a set is named after its folder, even if the output is a link to it") {
  const TempDir dir;
  fs::create_directory(dir / "flowers");
  fs::create_symlink("flowers", dir / "latest");
  for (const char* out : {"flowers", "latest", "latest/", "latest/.", "flowers/../latest"}) {
    CAPTURE(out);
    const ShardSetPlan plan = Plan(Request(dir / out, Framing::kTfRecord));
    CHECK(fs::path(plan.paths.front()).filename() == "flowers-00000-of-00001.tfrecord");
  }
}

TEST_CASE("a single shard is not written next to shards whose set its name belongs to") {
  struct Row {
    std::string there;
    std::string out;
    bool refused;
  };
  const std::vector<Row> rows = {
      {"part-0", "part-1", true},
      {"part-0", "part-0", false},  // the same file: replaced only by force
      {"part-0", "one.ofrecord", false},
      {"part-list", "part-1", false},
      {"x-00000-of-00002.tfrecord", "x-00001-of-00002.tfrecord", true},
      {"x-00000-of-00002.tfrecord.gz", "x-00001-of-00002.tfrecord", true},
      {"x-00000-of-00003.tfrecord", "x-00001-of-00002.tfrecord", false},
      {"y-00000-of-00002.tfrecord", "x-00001-of-00002.tfrecord", false},
      {"x_00.tfrecord", "x_01.tfrecord", true},
      {"x_00.tfrecord.gz", "x_1.tfrecord", true},
      {"part-00000-a.tfrecord", "part-00001-b.tfrecord", true},
      {"x_00.tfrecord", "y_01.tfrecord", false},
      {"x-00000-of-00002.tfrecord", "y.tfrecord", false},  // only the extension in common
      {"x.tfrecord", "y.tfrecord", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.there);
    CAPTURE(row.out);
    const TempDir dir;
    WriteFile(dir / row.there, "");
    const bool tfrecord = row.out.ends_with(".tfrecord");
    ShardSetRequest request = Request(dir / row.out, tfrecord ? Framing::kTfRecord : Framing::kOfRecord);
    request.force = true;
    const Result<ShardSetPlan> plan = PlanShardSet(request);
    CHECK(plan.has_value() == !row.refused);
    if (!plan) CHECK(plan.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("a link to a folder stays, and so do folders that cannot be exchanged: the set in them is replaced") {
  const TempDir dir;
  fs::create_directories(dir / "far/set");
  fs::create_symlink("far/set", dir / "link");
  WriteSet(Forced(dir / "link", 2), {"1", "2"});
  CHECK(fs::is_symlink(dir / "link"));
  CHECK(NamesIn(dir / "far") == std::vector<std::string>{"set"});
  CHECK(NamesIn(dir / "far/set") == std::vector<std::string>{"part-0", "part-1"});

  fs::create_directory(dir / "far/set/more");
  WriteFile(dir / "far/set/more/file", "mine");
  const auto folder = StatOf(dir / "far/set");
  WriteSet(Forced(dir / "link", 1), {"3"});
  CHECK(StatOf(dir / "far/set").st_ino == folder.st_ino);
  CHECK(NamesIn(dir / "far") == std::vector<std::string>{"set"});
  CHECK(NamesIn(dir / "far/set") == std::vector<std::string>{"more", "part-0"});
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
  CHECK(NamesIn(dir.path()) == std::vector<std::string>{"set"});
  CHECK(NamesIn(dir / "set") == std::vector<std::string>{"notes.txt", "part-0"});

  for (const bool is_folder : {true, false}) {
    fs::create_directory(temporary);
    WriteFile(temporary + "/part-0", "half");
    if (is_folder) fs::create_directory(temporary + "/part-1");
    if (!is_folder) WriteFile(temporary + "/notes.txt", "others than those in the set");
    const auto writer = ShardSetWriter::Begin(Plan(Forced(dir / "set", 1)), {1});
    REQUIRE(!writer);
    CHECK(writer.error().code == ErrorCode::kIo);
    CHECK(NamesIn(temporary).size() == 2);
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
  CHECK(NamesIn(dir / "set") == std::vector<std::string>{"part-0", "part-5"});
  CHECK(ReadFile(dir / "set/part-0") == ShardBytes(Framing::kOfRecord, {"1"}));
}

TEST_CASE("a set is not published if a shard of another set appears while it is written") {
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
  CHECK(NamesIn(dir / "set") == std::vector<std::string>{"part-0", "part-1"});
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
  CHECK(NamesIn(dir / "set").size() == 300);
}

TEST_CASE("shards of another format are never replaced, and nothing is written next to them") {
  const TempDir dir;
  for (const auto& [there, framing] :
       {std::pair("part-3", Framing::kTfRecord), std::pair("set-00000-of-00001.tfrecord", Framing::kOfRecord)}) {
    fs::remove_all(dir / "set");
    fs::create_directory(dir / "set");
    WriteFile(dir / ("set/" + std::string(there)), "");
    ShardSetRequest request = Request(dir / "set", framing);
    request.force = true;
    const Result<ShardSetPlan> refused = PlanShardSet(request);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("shards are not written to standard output") {
  CHECK(PlanShardSet(Request("-", Framing::kTfRecord)).error().code == ErrorCode::kUsage);
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
