#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <ofindex/writer.h>

#include "tests/library/example_data.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

ErrorCode CodeOf(const auto& result) { return result ? ErrorCode() : result.error().code; }

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Payloads(const std::string& data) {
  Must(BuildIndex({.data = {data}, .index = data + ".check.ofidx", .force = true}));
  const Dataset dataset = Must(Dataset::Open(data + ".check.ofidx"));
  std::vector<std::string> payloads;
  for (uint64_t i = 0; i < dataset.size(); ++i) payloads.emplace_back(AsText(Must(dataset.Read(i))));
  return payloads;
}

TEST_CASE("gzip is the only compression for writing") {
  const TempDir dir;
  for (const Compression compression : {Compression::kZlib, Compression::kDeflate}) {
    CHECK(CodeOf(RecordWriter::Create(dir / "a.tfrecord", {.compression = compression})) == ErrorCode::kUsage);
    CHECK(CodeOf(ShardSetWriter::Create(dir / "set", {.write = {.compression = compression}})) == ErrorCode::kUsage);
  }
}

TEST_CASE("publishing a set again returns the first result") {
  const TempDir dir;
  ShardSetWriter good = Must(ShardSetWriter::Create(dir / "good", {}));
  Must(good.Write(AsBytes("x")));
  CHECK(good.Publish());
  CHECK(good.Publish());
  ShardSetWriter bad = Must(ShardSetWriter::Create(dir / "bad", {}));
  Must(bad.Write(AsBytes("x")));
  fs::create_directory(dir / "bad");
  WriteFile(dir / "bad/other", "x");
  const auto first = bad.Publish();
  const auto again = bad.Publish();
  REQUIRE_FALSE(first);
  REQUIRE_FALSE(again);
  CHECK(first.error().message == again.error().message);
}

TEST_CASE("a shard of either framing, compressed or not, appears when its writer is closed") {
  struct Row {
    std::string name;
    WriteOptions options;
  };
  const TempDir dir;
  for (const Row& row : {
           Row{"a.tfrecord", {}},
           Row{"b.tfrecord.gz", {.compression = Compression::kGzip}},
           Row{"part-0", {.framing = Framing::kOfRecord}},
       }) {
    RecordWriter writer = Must(RecordWriter::Create(dir / row.name, row.options));
    for (uint64_t number = 0; number < 5; ++number) Must(writer.Write(AsBytes(ExamplePayload(number))));
    CHECK(writer.records() == 5);
    Must(writer.Flush());
    CHECK_FALSE(fs::exists(dir / row.name));
    Must(writer.Close());
    Must(writer.Close());
    const std::vector<std::string> payloads = Payloads(dir / row.name);
    REQUIRE(payloads.size() == 5);
    CHECK(payloads[4] == ExamplePayload(4));
  }
}

TEST_CASE("a writer that is destroyed before it is closed leaves no files") {
  const TempDir dir;
  {
    RecordWriter writer = Must(RecordWriter::Create(dir / "a.tfrecord"));
    Must(writer.Write(AsBytes("x")));
    ShardSetWriter set = Must(ShardSetWriter::Create(dir / "set", {.shards = 2, .records = 4}));
    Must(set.Write(AsBytes("x")));
  }
  CHECK(NamesIn(dir.path()).empty());
}

TEST_CASE("records can be appended to a whole shard, but not to a torn one") {
  const TempDir dir;
  WriteExamples(dir / "a.tfrecord", 3);
  RecordWriter writer = Must(RecordWriter::Append(dir / "a.tfrecord"));
  CHECK(writer.records() == 3);
  Must(writer.Write(AsBytes(ExamplePayload(3))));
  Must(writer.Close());
  CHECK(Payloads(dir / "a.tfrecord").size() == 4);
  AppendTo(dir / "a.tfrecord", "torn");
  CHECK(CodeOf(RecordWriter::Append(dir / "a.tfrecord")) == ErrorCode::kDamage);
}

TEST_CASE("an existing file is replaced only if it is a shard and force is set") {
  const TempDir dir;
  WriteExamples(dir / "a.tfrecord", 3);
  WriteFile(dir / "text", "precious");
  CHECK(CodeOf(RecordWriter::Create(dir / "a.tfrecord")) == ErrorCode::kUsage);
  CHECK(CodeOf(RecordWriter::Create(dir / "text", {.force = true})) == ErrorCode::kUsage);
  CHECK(CodeOf(RecordWriter::Create(dir / "b", {.framing = Framing::kEmpty})) == ErrorCode::kUsage);
  CHECK(CodeOf(RecordWriter::Create(
            dir / "part-0", {.framing = Framing::kOfRecord, .compression = Compression::kGzip})) == ErrorCode::kUsage);
  CHECK(CodeOf(RecordWriter::Create(dir / "no/such/folder")) == ErrorCode::kIo);
  WriteExamples(dir / "a.tfrecord", 5, {.force = true});
  CHECK(Payloads(dir / "a.tfrecord").size() == 5);
  CHECK(ReadFile(dir / "text") == "precious");
}

TEST_CASE("a closed or moved-from writer refuses records") {
  const TempDir dir;
  RecordWriter writer = Must(RecordWriter::Create(dir / "a.tfrecord"));
  Must(writer.Write(AsBytes("one")));
  RecordWriter taken = std::move(writer);
  CHECK(CodeOf(writer.Write(AsBytes("x"))) == ErrorCode::kUsage);  // NOLINT(bugprone-use-after-move): is tested
  CHECK(CodeOf(writer.Flush()) == ErrorCode::kUsage);
  CHECK(CodeOf(writer.Close()) == ErrorCode::kUsage);
  CHECK(writer.records() == 0);
  CHECK(taken.records() == 1);
  Must(taken.Close());
  CHECK(CodeOf(taken.Write(AsBytes("x"))) == ErrorCode::kUsage);
  CHECK(CodeOf(taken.Flush()) == ErrorCode::kUsage);

  ShardSetWriter set = Must(ShardSetWriter::Create(dir / "set.tfrecord", {}));
  Must(set.Write(AsBytes("one")));
  ShardSetWriter all = std::move(set);
  CHECK(CodeOf(set.Write(AsBytes("x"))) == ErrorCode::kUsage);  // NOLINT(bugprone-use-after-move): is tested
  CHECK(CodeOf(set.Publish()) == ErrorCode::kUsage);
  CHECK(set.paths().empty());
  Must(all.Publish());
  CHECK(CodeOf(all.Write(AsBytes("x"))) == ErrorCode::kUsage);
}

TEST_CASE("an empty OFRecord is refused") {
  const TempDir dir;
  RecordWriter writer = Must(RecordWriter::Create(dir / "part-0", {.framing = Framing::kOfRecord}));
  CHECK(CodeOf(writer.Write({})) == ErrorCode::kUsage);
}

TEST_CASE("a set of shards appears all at once, with the records spread evenly") {
  const TempDir dir;
  ShardSetWriter writer = Must(ShardSetWriter::Create(dir / "set", {.shards = 3, .records = 10}));
  for (uint64_t number = 0; number < 10; ++number) Must(writer.Write(AsBytes(ExamplePayload(number))));
  CHECK_FALSE(fs::exists(dir / "set"));
  CHECK(CodeOf(writer.Write(AsBytes("one more"))) == ErrorCode::kUsage);
  Must(writer.Publish());
  CHECK(writer.records() == 10);
  CHECK(NamesIn(dir / "set") == std::vector<std::string>{"set-00000-of-00003.tfrecord", "set-00001-of-00003.tfrecord",
                                                         "set-00002-of-00003.tfrecord"});
  REQUIRE(writer.paths().size() == 3);
  CHECK(Payloads(writer.paths()[2]).size() == 4);
  CHECK(Payloads(dir / "set").size() == 10);
}

TEST_CASE("a set may be published with fewer records than it was created for") {
  const TempDir dir;
  ShardSetWriter writer = Must(ShardSetWriter::Create(dir / "set", {.shards = 3, .records = 10}));
  Must(writer.Write(AsBytes(ExamplePayload(0))));
  Must(writer.Publish());
  CHECK(NamesIn(dir / "set").size() == 3);
  CHECK(Payloads(dir / "set").size() == 1);
}

TEST_CASE("invalid options of a set are refused before anything is written") {
  const TempDir dir;
  CHECK(CodeOf(ShardSetWriter::Create(dir / "set", {.shards = 0})) == ErrorCode::kUsage);
  CHECK(CodeOf(ShardSetWriter::Create(dir / "set", {.shards = 2})) == ErrorCode::kUsage);
  CHECK(CodeOf(ShardSetWriter::Create(dir / "set", {.write = {.framing = Framing::kEmpty}})) == ErrorCode::kUsage);
  CHECK(CodeOf(ShardSetWriter::Create(dir / "a.ofrecord", {})) == ErrorCode::kUsage);
  CHECK(NamesIn(dir.path()).empty());
}

TEST_CASE("the same features give the same payload in any order") {
  PayloadBuilder builder(PayloadKind::kExample);
  const std::string one(AsText(Must(builder.AddInt64("b", 1).AddFloat("a", 2).Finish())));
  const std::string other(AsText(Must(builder.Clear().AddFloat("a", 2).AddInt64("b", 1).Finish())));
  CHECK(one == other);
  PayloadBuilder taken = std::move(builder);
  CHECK(AsText(Must(taken.Clear().AddInt64("b", 1).AddFloat("a", 2).Finish())) == one);
}

TEST_CASE("Finish returns the first error since Clear") {
  const std::array<double, 1> doubles = {1};
  const std::array<int64_t, 1> large = {int64_t{1} << 40};
  PayloadBuilder example(PayloadKind::kExample);
  PayloadBuilder ofrecord(PayloadKind::kOfRecord);
  CHECK(CodeOf(example.Add("a", FeatureValues::Doubles(doubles)).AddInt64("b", 1).Finish()) == ErrorCode::kFeature);
  CHECK(CodeOf(example.Clear().AddInt64("a", 1).AddInt64("a", 2).Finish()) == ErrorCode::kFeature);
  CHECK(CodeOf(example.Clear().AddInt64("\xff", 1).Finish()) == ErrorCode::kFeature);
  CHECK(CodeOf(example.Clear().AddList("a", {}).Finish()) == ErrorCode::kFeature);
  CHECK(CodeOf(ofrecord.Add("a", FeatureValues::Int32s(large)).Finish()) == ErrorCode::kFeature);
  CHECK(CodeOf(example.Clear().AddInt64("a", 1).Finish()) == ErrorCode());
}

}  // namespace
}  // namespace ofindex
