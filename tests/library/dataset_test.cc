#include <doctest/doctest.h>

#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <ofindex/dataset.h>

#include "tests/library/example_data.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

struct FlippedData {
  TempDir dir;
  std::string path = dir / "data.tfrecord";

  // Ten records. The payload of the fourth has a flipped bit.
  explicit FlippedData() {
    WriteExamples(path, 10);
    const uint64_t record_bytes = ReadFile(path).find(ExamplePayload(3));
    FlipBit(path, record_bytes + 5, 0);
    Must(BuildIndex({.data = {path}, .verify = true}));
  }
};

TEST_CASE("a record is read by its ordinal: copied, viewed and decoded") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  CHECK(dataset.size() == 100);
  CHECK(dataset.index_path() == dir / "data.tfrecord.ofidx");
  std::vector<uint8_t> reused;
  for (const uint64_t ordinal : {0U, 1U, 57U, 99U}) {
    CHECK(AsText(Must(dataset.Read(ordinal))) == ExamplePayload(ordinal));
    Must(dataset.Read(ordinal, reused));
    CHECK(AsText(reused) == ExamplePayload(ordinal));
    CHECK(AsText(Must(dataset.View(ordinal)).bytes()) == ExamplePayload(ordinal));
    const RecordLocation place = Must(dataset.Locate(ordinal));
    CHECK(place.shard == 0);
    CHECK(place.length == ExamplePayload(ordinal).size());
    CHECK(ReadFile(dir / "data.tfrecord").substr(place.offset + 12, place.length) == ExamplePayload(ordinal));
    CHECK(Must(dataset.ReadFeatures(ordinal)).Find("id")->integers()[0] == static_cast<int64_t>(ordinal));
  }
}

TEST_CASE("a batch has the records in the requested order, with repeats, and can be filled again") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 100);
  RecordBatch batch;
  CHECK(batch.size() == 0);
  CHECK(batch.bytes().empty());
  const std::vector<std::vector<uint64_t>> requests = {{99, 0, 0, 50}, {}, {7}};
  for (const std::vector<uint64_t>& ordinals : requests) {
    Must(dataset.ReadBatch(ordinals, batch));
    REQUIRE(batch.size() == ordinals.size());
    std::string all;
    for (size_t i = 0; i < ordinals.size(); ++i) {
      CHECK(AsText(batch[i]) == ExamplePayload(ordinals[i]));
      all += ExamplePayload(ordinals[i]);
      CHECK(batch.ends()[i] == all.size());
    }
    CHECK(AsText(batch.bytes()) == all);
  }
}

TEST_CASE("a batch that was moved from is empty and can be filled again") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  const std::vector<uint64_t> ordinals = {3, 4};
  RecordBatch batch;
  Must(dataset.ReadBatch(ordinals, batch));
  RecordBatch taken = std::move(batch);
  CHECK(AsText(taken[1]) == ExamplePayload(4));
  CHECK(batch.size() == 0);  // NOLINT(bugprone-use-after-move): tested here
  Must(dataset.ReadBatch(ordinals, batch));
  CHECK(AsText(batch[0]) == ExamplePayload(3));
  CHECK(AsText(taken[0]) == ExamplePayload(3));
  taken = std::move(batch);
  CHECK(taken.size() == 2);
  CHECK(batch.size() == 0);  // NOLINT(bugprone-use-after-move): tested here
}

TEST_CASE("a failed batch is empty") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  RecordBatch batch;
  Must(dataset.ReadBatch(std::vector<uint64_t>{1, 2}, batch));
  const auto failed = dataset.ReadBatch(std::vector<uint64_t>{1, 10}, batch);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kOutOfRange);
  CHECK(batch.size() == 0);
}

TEST_CASE("views and features outlive the dataset and its deleted files") {
  RecordView view;
  std::optional<Features> features;
  {
    const TempDir dir;
    const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
    view = Must(dataset.View(9));
    features = Must(dataset.ReadFeatures(9));
  }
  CHECK(AsText(view.bytes()) == ExamplePayload(9));
  CHECK(AsText(features->Find("word")->bytes()[0]) == "odd");
}

TEST_CASE("a moved-from dataset can still be used") {
  const TempDir dir;
  Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  const Dataset taken = std::move(dataset);
  CHECK(dataset.size() == 10);  // NOLINT(bugprone-use-after-move): tested here
  CHECK(AsText(Must(taken.Read(1))) == AsText(Must(dataset.Read(1))));
}

TEST_CASE("an open dataset does not change when its index is replaced") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "a.tfrecord", 10);
  WriteExamples(dir / "b.tfrecord", 3);
  Must(BuildIndex({.data = {dir / "b.tfrecord"}, .index = dir / "a.tfrecord.ofidx", .force = true}));
  CHECK(Must(Dataset::Open(dir / "a.tfrecord")).size() == 3);
  CHECK(dataset.size() == 10);
  CHECK(Must(dataset.Info()).records == 10);
  CHECK(AsText(Must(dataset.Read(9))) == ExamplePayload(9));
}

TEST_CASE("each kind of failure has its error code") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  WriteFile(dir / "text.ofidx", "not an index");
  const FlippedData flipped;
  const Dataset sound = Must(Dataset::Open(flipped.path));
  const Dataset pread = Must(Dataset::Open(dir / "data.tfrecord", {.map_shards = false}));

  const Dataset changed = OpenExamples(dir / "changed.tfrecord", 10);
  WriteFile(dir / "changed.tfrecord", ReadFile(dir / "changed.tfrecord") + "x");
  const auto code = [](const auto& result) { return result ? ErrorCode() : result.error().code; };
  CHECK(code(Dataset::Open(dir / "no-such")) == ErrorCode::kNotFound);
  CHECK(code(Dataset::Open(dir / "text.ofidx")) == ErrorCode::kIndex);
  CHECK(code(Dataset::Open("")) == ErrorCode::kUsage);
  for (const uint64_t beyond : {uint64_t{10}, ~uint64_t{0}}) {
    CHECK(code(dataset.Read(beyond)) == ErrorCode::kOutOfRange);
    CHECK(code(dataset.View(beyond)) == ErrorCode::kOutOfRange);
    CHECK(code(dataset.Locate(beyond)) == ErrorCode::kOutOfRange);
    CHECK(code(dataset.ReadFeatures(beyond)) == ErrorCode::kOutOfRange);
  }
  CHECK(code(sound.Read(3)) == ErrorCode::kDamage);
  CHECK(code(sound.View(3)) == ErrorCode::kDamage);
  CHECK(code(changed.Read(0)) == ErrorCode::kStale);
  CHECK(code(pread.View(0)) == ErrorCode::kLimit);
  CHECK(AsText(Must(pread.Read(0))) == ExamplePayload(0));
}

TEST_CASE("the error of a missing index names the path and the command that builds an index") {
  const TempDir dir;
  WriteFile(dir / "no-such", "data without an index");
  const auto missing = Dataset::Open(dir / "no-such");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("no-such") != std::string::npos);
  CHECK(missing.error().hint.find("ofindex build") != std::string::npos);
}

TEST_CASE("bad records are listed, and read only if they are allowed") {
  const FlippedData flipped;
  const Dataset dataset = Must(Dataset::Open(flipped.path, {.allow_bad = true}));
  const DatasetInfo info = Must(dataset.Info());
  CHECK(info.payloads_checked);
  REQUIRE(info.bad.size() == 1);
  CHECK(info.bad[0].record == 3);
  CHECK(info.bad[0].shard == "data.tfrecord");
  CHECK(info.bad[0].reason == "payload_crc");
  CHECK(Must(dataset.Read(3)).size() == ExamplePayload(3).size());
}

TEST_CASE("info lists shards, features, damage and files that were skipped") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "data");
  WriteExamples(dir / "data/a.tfrecord", 10);
  WriteExamples(dir / "data/b.tfrecord.gz", 7, {.compression = Compression::kGzip});
  AppendTo(dir / "data/a.tfrecord", "torn");
  WriteFile(dir / "data/notes.txt", "not records");
  const BuildReport report = Must(BuildIndex({.data = {dir / "data"}}));
  const Dataset dataset = Must(Dataset::Open(dir / "data"));
  const DatasetInfo info = Must(dataset.Info());

  CHECK(info.index == dir / "data.ofidx");
  CHECK(info.id.size() == 32);
  CHECK(info.id == report.info.id);
  CHECK(info.records == 17);
  REQUIRE(info.shards.size() == 2);
  CHECK(info.shards[0].path == "data/a.tfrecord");
  CHECK(info.shards[0].framing == Framing::kTfRecord);
  CHECK(info.shards[0].payload == PayloadKind::kExample);
  CHECK(info.shards[0].bytes == ReadFile(dir / "data/a.tfrecord").size());
  CHECK(info.shards[1].compression == Compression::kGzip);
  CHECK(info.shards[1].first_record == 10);
  CHECK(info.shards[1].records == 7);

  REQUIRE(info.features.size() == 3);
  CHECK(info.features[0].name == "half");
  CHECK(info.features[0].kinds == std::vector<FeatureKind>{FeatureKind::kFloat});
  CHECK(info.features[1].name == "id");
  CHECK(info.features[1].columns.front() == "id");
  CHECK(info.features[1].type == "INTEGER");
  CHECK(info.features[1].records == 17);
  CHECK(info.features[2].values_max == 1);

  REQUIRE(info.damage.size() == 1);
  CHECK(info.damage[0].shard == "data/a.tfrecord");
  CHECK(info.damage[0].end == ReadFile(dir / "data/a.tfrecord").size());
  CHECK(info.damage[0].end - info.damage[0].begin == 4);
  CHECK(info.damage[0].reason == "torn_tail");
  REQUIRE(info.skipped.size() == 1);
  CHECK(info.skipped[0].path == "data/notes.txt");
  CHECK(report.info.skipped[0].reason == info.skipped[0].reason);
}

TEST_CASE("a copy of the data elsewhere is read through the same index") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "data");
  WriteExamples(dir / "data/a.tfrecord", 10);
  Must(BuildIndex({.data = {dir / "data"}}));
  std::filesystem::create_directory(dir / "copy");
  std::filesystem::rename(dir / "data/a.tfrecord", dir / "copy/a.tfrecord");
  const Dataset dataset = Must(Dataset::Open(dir / "data.ofidx", {.root = dir / "copy"}));
  CHECK(AsText(Must(dataset.Read(9))) == ExamplePayload(9));
  CHECK(Must(Verify(dataset)).clean());
}

TEST_CASE("any range may be prefetched, even beyond the last record") {
  const TempDir dir;
  const Dataset dataset = OpenExamples(dir / "data.tfrecord", 10);
  const uint64_t most = ~uint64_t{0};
  for (const auto& [first, count] : {std::pair{uint64_t{0}, uint64_t{10}}, {5, most}, {most, most}, {10, 1}, {0, 0}}) {
    dataset.Prefetch(first, count);
  }
  CHECK(AsText(Must(dataset.Read(9))) == ExamplePayload(9));
}

}  // namespace
}  // namespace ofindex
