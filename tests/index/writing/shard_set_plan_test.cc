#include "index/writing/shard_set_plan.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/index/writing/shard_sets.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace ofindex
