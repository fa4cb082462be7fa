#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <ofindex/sample.h>
#include <ofindex/update.h>

#include "tests/library/example_data.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// A folder "data" of two shards with ten records each, and its index.
class Data {
 public:
  Data() {
    std::filesystem::create_directory(dir_ / "data");
    WriteExamples(dir_ / "data/x-0", 10);
    WriteExamples(dir_ / "data/x-1", 10);
    Must(BuildIndex({.data = {dir_ / "data"}}));
  }

  [[nodiscard]] std::string operator/(const std::string& name) const { return dir_ / ("data/" + name); }
  [[nodiscard]] UpdateReport Update(bool prune = false) const {
    return Must(UpdateIndex({.index = dir_ / "data", .prune = prune}));
  }
  [[nodiscard]] Dataset Open() const { return Must(Dataset::Open(dir_ / "data")); }

 private:
  TempDir dir_;
};

TEST_CASE("an update reports what became of the shards, and changes nothing if nothing has changed") {
  const Data data;
  const UpdateReport same = data.Update();
  CHECK(same.was_up_to_date);
  CHECK(same.generation == 1);
  CHECK(same.shards.empty());
  WriteExamples(data / "x-2", 5);
  std::filesystem::rename(data / "x-0", data / "x-9");
  std::filesystem::remove(data / "x-1");
  const UpdateReport updated = data.Update();
  CHECK_FALSE(updated.was_up_to_date);
  CHECK(updated.generation == 2);
  CHECK(updated.records == 15);
  CHECK(updated.new_records == 5);
  CHECK(updated.gone_records == 10);
  CHECK_FALSE(updated.renumbered);
  REQUIRE(updated.shards.size() == 3);
  CHECK(updated.shards[0].change == ShardChange::kMissing);
  CHECK(updated.shards[0].path == "data/x-1");
  CHECK(updated.shards[0].records == 10);
  CHECK(updated.shards[1].change == ShardChange::kNew);
  CHECK(updated.shards[1].new_records == 5);
  CHECK(updated.shards[2].change == ShardChange::kMoved);
  CHECK(updated.shards[2].before == "data/x-0");
  CHECK(Name(updated.shards[2].change) == "moved");
  CHECK(data.Open().size() == 25);
  const UpdateReport pruned = data.Update(true);
  CHECK(pruned.renumbered);
  CHECK(data.Open().size() == 15);
}

TEST_CASE("an update that is refused leaves the index") {
  const Data data;
  std::filesystem::remove(data / "x-0");
  std::filesystem::remove(data / "x-1");
  const auto refused = UpdateIndex({.index = data.Open().index_path()});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kStale);
  CHECK(data.Open().size() == 20);
  const auto nothing = UpdateIndex({.index = data / "none"});
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().code == ErrorCode::kNotFound);
  Progress progress;
  progress.Cancel();
  WriteExamples(data / "x-0", 10);
  WriteExamples(data / "x-2", 10);
  const auto cancelled = UpdateIndex({.index = data.Open().index_path()}, &progress);
  REQUIRE_FALSE(cancelled);
  CHECK(cancelled.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("each change has its name, and what a set lacks and new columns are reported") {
  const Data data;
  const std::string more = ExamplePayload(77);
  {
    RecordWriter writer = Must(RecordWriter::Append(data / "x-0"));
    Must(writer.Write(AsBytes(more)));
    Must(writer.Close());
  }
  std::filesystem::remove(data / "x-1");
  WriteExamples(data / "x-00001-of-00002", 3);
  const UpdateReport first = data.Update();
  REQUIRE(first.missing.size() == 1);
  CHECK(first.missing[0] == "data/x-00000-of-00002");
  CHECK(first.columns_added.empty());
  const auto found = [](const UpdateReport& report) {
    std::string text;
    for (const UpdatedShard& shard : report.shards) text += std::string(Name(shard.change)) + " " + shard.path + ";";
    return text;
  };
  CHECK(found(first) == "grown data/x-0;missing data/x-1;new data/x-00001-of-00002;");
  WriteExamples(data / "x-1", 10);
  WriteExamples(data / "x-00001-of-00002", 2, {.force = true});
  CHECK(found(data.Update()) == "restored data/x-1;changed data/x-00001-of-00002;");
}

TEST_CASE("limits out of range are refused, and a shard beyond them is one of its own error") {
  const Data data;
  const auto refused = UpdateIndex({.index = data.Open().index_path(), .max_ratio = 0});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kUsage);
  CHECK(BuildIndex({.data = {data / "x-0"}, .max_ratio = 2001}).error().code == ErrorCode::kUsage);
}

TEST_CASE("a sampler goes on after an update, counts what is new, and samples it in the next epoch") {
  const Data data;
  Sampler stopped = Must(Sampler::Open(data.Open(), {.seed = 3}));
  std::vector<uint64_t> read(8);
  REQUIRE(stopped.Next(read) == 8);
  WriteExamples(data / "x-2", 5);
  Must(UpdateIndex({.index = data.Open().index_path()}));
  Sampler resumed = Must(Sampler::Open(data.Open(), {.state = stopped.State()}));
  REQUIRE(resumed.Changes().has_value());
  CHECK(resumed.Changes()->new_records == 5);
  CHECK(resumed.Changes()->gone_records == 0);
  CHECK(resumed.left() == 12);
  std::vector<uint64_t> rest(12);
  std::vector<uint64_t> expected(12);
  CHECK(resumed.Next(rest) == stopped.Next(expected));
  CHECK(rest == expected);
  resumed.SetEpoch(1);
  CHECK(resumed.left() == 25);
  CHECK_FALSE(resumed.Changes().has_value());
  std::filesystem::remove(data / "x-0");
  Must(UpdateIndex({.index = data.Open().index_path()}));
  const auto refused = Sampler::Open(data.Open(), {.state = stopped.State()});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kStale);
}

}  // namespace
}  // namespace ofindex
