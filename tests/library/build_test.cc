#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <ofindex/build.h>
#include <ofindex/query.h>

#include "tests/library/example_data.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

TEST_CASE("a build reports the content of the index, and does not change an up-to-date index") {
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 20);
  const BuildReport built = Must(BuildIndex({.data = {dir / "data.tfrecord"}}));
  CHECK_FALSE(built.was_up_to_date);
  CHECK(built.info.index == dir / "data.tfrecord.ofidx");
  CHECK(built.info.records == 20);
  CHECK_FALSE(built.info.payloads_checked);
  const BuildReport again = Must(BuildIndex({.data = {dir / "data.tfrecord"}}));
  CHECK(again.was_up_to_date);
  CHECK(again.info.id == built.info.id);
  CHECK(again.info.records == 20);
}

TEST_CASE("the index is the same for any number of threads") {
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 500);
  for (const unsigned threads : {1U, 2U, 7U}) {
    const std::string index = dir / (std::to_string(threads) + ".ofidx");
    Must(BuildIndex({.data = {dir / "data.tfrecord"}, .index = index, .threads = threads}));
    CHECK(ReadFile(index) == ReadFile(dir / "1.ofidx"));
  }
}

TEST_CASE("missing shards of a numbered set are reported") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "data");
  WriteExamples(dir / "data/x-00000-of-00003.tfrecord", 2);
  WriteExamples(dir / "data/x-00002-of-00003.tfrecord", 2);
  const BuildReport report = Must(BuildIndex({.data = {dir / "data"}}));
  REQUIRE(report.missing.size() == 1);
  CHECK(report.missing[0].find("x-00001-of-00003.tfrecord") != std::string::npos);
}

TEST_CASE("an index has the automatic columns, the named ones, both or none") {
  struct Row {
    std::vector<std::string> names;
    bool automatic;
    std::vector<std::string> queried;  // which of id and word can be queried
  };
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 20);
  for (const Row& row : {
           Row{{}, true, {"id", "word"}},
           Row{{"id"}, false, {"id"}},
           Row{{"id"}, true, {"id", "word"}},
           Row{{}, false, {}},
       }) {
    BuildOptions options{.data = {dir / "data.tfrecord"}, .force = true};
    options.columns = row.names;
    options.auto_columns = row.automatic;
    Must(BuildIndex(options));
    const Dataset dataset = Must(Dataset::Open(dir / "data.tfrecord"));
    std::vector<std::string> queried;
    for (const char* name : {"id", "word"}) {
      if (Where(dataset, std::string(name) + " IS NOT NULL")) queried.emplace_back(name);
    }
    CHECK(queried == row.queried);
  }
}

TEST_CASE("derived columns can be queried and are listed, and what has no bytes cannot be derived from") {
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 20);
  BuildOptions options{.data = {dir / "data.tfrecord"}, .columns = {"id"}, .auto_columns = false};
  options.derive = {"word:length", "word:hash"};
  const BuildReport report = Must(BuildIndex(options));
  std::vector<std::string> columns;
  for (const FeatureInfo& feature : report.info.features) {
    if (feature.name != "word") continue;
    columns = feature.columns;
    CHECK(feature.type == "INTEGER");
  }
  CHECK(columns == std::vector<std::string>{"word#hash", "word#length"});
  const Dataset dataset = Must(Dataset::Open(dir / "data.tfrecord"));
  CHECK(Must(Where(dataset, "\"word#length\" > 0 AND \"word#hash\" IS NOT NULL")).size() == 20);
  for (const char* derive : {"id:hash", "ward:hash", "word:size", "word"}) {
    options.derive = {derive};
    const auto refused = BuildIndex(options);
    CHECK_MESSAGE((!refused && refused.error().code == ErrorCode::kUsage), std::string(derive));
  }
}

TEST_CASE("a misspelt column, an invalid option and a foreign file give the right error codes") {
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 20);
  WriteFile(dir / "foreign.ofidx", "precious text");
  WriteFile(dir / "text", "not records");
  const std::vector<std::string> data = {dir / "data.tfrecord"};
  const auto code = [](const BuildOptions& options) {
    const auto report = BuildIndex(options);
    return report ? ErrorCode() : report.error().code;
  };
  CHECK(code({.data = data, .columns = {"idd"}}) == ErrorCode::kUsage);
  CHECK(code({.data = data, .framing = Framing::kEmpty}) == ErrorCode::kUsage);
  CHECK(code({.data = {}}) == ErrorCode::kUsage);
  CHECK(code({.data = {dir / "no-such"}}) == ErrorCode::kUsage);
  CHECK(code({.data = {dir / "text"}}) == ErrorCode::kFormat);
  CHECK(code({.data = data, .index = dir / "foreign.ofidx", .force = true}) == ErrorCode::kIndex);
  CHECK(ReadFile(dir / "foreign.ofidx") == "precious text");
  Must(BuildIndex({.data = data}));
  WriteExamples(dir / "other.tfrecord", 3);
  CHECK(code({.data = {dir / "other.tfrecord"}, .index = dir / "data.tfrecord.ofidx"}) == ErrorCode::kStale);
}

TEST_CASE("a cancelled build is an error and leaves no index") {
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 20);
  Progress progress;
  progress.Cancel();
  const auto report = BuildIndex({.data = {dir / "data.tfrecord"}}, &progress);
  REQUIRE_FALSE(report);
  CHECK(report.error().code == ErrorCode::kInterrupted);
  CHECK_FALSE(std::filesystem::exists(dir / "data.tfrecord.ofidx"));
}

TEST_CASE("progress counts bytes and records up to the end") {
  const TempDir dir;
  WriteExamples(dir / "data.tfrecord", 20);
  Progress progress;
  CHECK(progress.records_done() == 0);
  Must(BuildIndex({.data = {dir / "data.tfrecord"}}, &progress));
  CHECK(progress.records_done() == 20);
  CHECK(progress.bytes_total() == ReadFile(dir / "data.tfrecord").size());
  CHECK(progress.bytes_done() == progress.bytes_total());
}

TEST_CASE("verify finds no fault in sound data, and finds a changed payload, a changed shard and a new shard") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "data");
  const std::string path = dir / "data/a.tfrecord";
  WriteExamples(path, 20);
  Must(BuildIndex({.data = {dir / "data"}, .verify = true}));
  const Dataset dataset = Must(Dataset::Open(dir / "data"));
  const VerifyReport sound = Must(Verify(dataset));
  CHECK(sound.clean());
  CHECK(sound.records_checked == 20);
  CHECK(sound.all_payloads_checked);

  FlipBit(path, ReadFile(path).find(ExamplePayload(7)) + 3, 1);
  const VerifyReport flipped = Must(Verify(dataset));
  CHECK_FALSE(flipped.clean());
  REQUIRE(flipped.bad.size() == 1);
  CHECK(flipped.bad[0].record == 7);
  CHECK(flipped.bad[0].shard == "data/a.tfrecord");
  CHECK(flipped.bad[0].reason == "payload_crc");

  TruncateTo(path, 100);
  WriteExamples(dir / "data/b.tfrecord", 1);
  const VerifyReport changed = Must(Verify(dataset, {.quick = true}));
  CHECK(changed.stale.size() == 2);
  CHECK_FALSE(changed.clean());
}

}  // namespace
}  // namespace ofindex
