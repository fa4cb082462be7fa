#include "index/build/builder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "index/build/map_builder.h"
#include "mmap/record_reader.h"
#include "tests/index/built_set.h"
#include "tests/index/working_folder.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

Result<BuildReport> TryBuild(const BuildOptions& options) {
  Progress progress;
  return BuildIndex(options, progress);
}

TEST_CASE("the same files give the same index bytes, on any number of threads, from any folder, and when built again") {
  BuiltSet set;
  set.PutAllSorts();
  for (const bool verify : {false, true}) {
    std::string index;
    std::string map;
    for (const unsigned threads : {1U, 2U, 8U, 3U}) {
      BuildOptions options = set.Options(verify);
      options.threads = threads;
      options.force = true;
      set.Build(options);
      if (index.empty()) index = ReadFile(set.index()), map = ReadFile(set.map());
      CAPTURE(threads);
      CHECK(ReadFile(set.index()) == index);
      CHECK(ReadFile(set.map()) == map);
    }
    for (const char* folder : {"", "/train"}) {
      const InFolder in(set.folder() + folder);
      BuildOptions options = set.Options(verify);
      options.data = {*folder == '\0' ? "train" : "."};
      options.force = true;
      set.Build(options);
      CHECK(ReadFile(set.index()) == index);
      CHECK(ReadFile(set.map()) == map);
    }
    CHECK(FilesIn(set.folder()) == kBuiltFiles);
  }
}

TEST_CASE("a build reports what it found") {
  BuiltSet set;
  set.PutAllSorts();
  set.Put("notes.txt", "not a record file, and not taken for one");
  BuildOptions options = set.Options(true);
  options.format.framing = std::nullopt;
  const BuildReport report = set.Build(options);
  CHECK(report.index == set.index());
  CHECK(!report.was_up_to_date);
  CHECK(report.shards.size() == 7);
  CHECK(report.facts.records == 40 + 70'000 + 40 + 19 + 20 + 30);
  CHECK(report.index_bytes == fs::file_size(set.index()));
  REQUIRE(report.bad.size() == 1);
  CHECK(report.bad[0].record == 40 + 70'000 + 40 + 19 + 19);
  REQUIRE(report.damage.size() == 2);
  CHECK(report.damage[0].shard == 3);
  CHECK(report.damage[0].range.reason == DamageReason::kBadLengthCrc);
  CHECK(report.damage[1].range.reason == DamageReason::kTornTail);
  REQUIRE(report.skipped.size() == 1);
  CHECK(report.skipped[0].path == "train/notes.txt");

  // The second build leaves the index alone and reports the same.
  const std::string before = ReadFile(set.index());
  const BuildReport again = set.Build(options);
  CHECK(again.was_up_to_date);
  CHECK(again.facts.records == report.facts.records);
  CHECK(again.facts.id == report.facts.id);
  CHECK(again.bad.size() == 1);
  CHECK(again.damage.size() == 2);
  CHECK(again.skipped.size() == 1);
  CHECK(ReadFile(set.index()) == before);
}

TEST_CASE("an index without payload checks is replaced by one with them, but not vice versa") {
  BuiltSet set;
  set.PutSome();
  CHECK(set.Build(set.Options(false)).facts.checked == Checked::kFraming);
  const BuildReport verified = set.Build(set.Options(true));
  CHECK(!verified.was_up_to_date);
  CHECK(verified.facts.checked == Checked::kPayloads);
  const BuildReport left_alone = set.Build(set.Options(false));
  CHECK(left_alone.was_up_to_date);
  CHECK(left_alone.facts.checked == Checked::kPayloads);
}

TEST_CASE("a stale index is reported with its reason and left unchanged, unless its replacement is forced") {
  struct Row {
    std::string what;
    std::function<void(BuiltSet&, BuildOptions&)> change;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {"a new shard", [](BuiltSet& set, BuildOptions&) { set.Put("part-3", RecordBytes(Framing::kTfRecord, "x")); },
       "part-3 is not in it"},
      {"a shard is gone", [](BuiltSet& set, BuildOptions&) { fs::remove(set.Shard("part-10")); }, "part-10 is gone"},
      {"a shard has grown", [](BuiltSet& set, BuildOptions&) { AppendTo(set.Shard("part-0"), "x"); },
       "part-0 has changed"},
      {"a shard is replaced by another file",
       [](BuiltSet& set, BuildOptions&) {
         ReplaceFile(set.Shard("part-0"), WithFlippedBit(ReadFile(set.Shard("part-0")), 70, 1));
       },
       "part-0 has changed"},
      {"a shard is replaced by another file of the same size and mtime",
       [](BuiltSet& set, BuildOptions&) {
         ReplaceFile(set.Shard("part-0"), WithFlippedBit(ReadFile(set.Shard("part-0")), 70, 1));
         SetMtime(set.Shard("part-0"), int64_t{1'700'000'000} * 1'000'000'000);  // as set by Put()
       },
       "part-0 has changed"},
      {"another format", [](BuiltSet&, BuildOptions& options) { options.format.framing = std::nullopt; },
       "another format"},
      {"another payload", [](BuiltSet&, BuildOptions& options) { options.format.payload = PayloadKind::kExample; },
       "another format, payload or compression"},
      {"another compression", [](BuiltSet&, BuildOptions& options) { options.format.compression = Compression::kNone; },
       "another format, payload or compression"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    BuiltSet set;
    set.PutSome();
    set.Build(set.Options());
    const std::string before = ReadFile(set.index());
    BuildOptions options = set.Options();
    row.change(set, options);
    const Result<BuildReport> report = TryBuild(options);
    REQUIRE(!report.has_value());
    CHECK(report.error().code == ErrorCode::kStale);
    CHECK(report.error().message.find(row.reason) != std::string::npos);
    CHECK(report.error().hint.text().find("--force") != std::string::npos);
    CHECK(ReadFile(set.index()) == before);
    options.force = true;
    CHECK(!set.Build(options).was_up_to_date);
    options.force = false;
    CHECK(set.Build(options).was_up_to_date);
  }
}

TEST_CASE("a shard that was touched or copied is not stale") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options());
  SetMtime(set.Shard("part-0"), 12345);
  fs::create_hard_link(set.Shard("part-2"), set.folder() + "/link");
  ReplaceFile(set.Shard("part-10"), ReadFile(set.Shard("part-10")));
  CHECK(set.Build(set.Options()).was_up_to_date);
}

TEST_CASE("an impossible build is refused with its reason and leaves no files behind") {
  struct Row {
    std::string what;
    std::function<void(BuiltSet&, BuildOptions&)> prepare;
    ErrorCode code;
  };
  const std::string tf = ShardBytes(Framing::kTfRecord, {"one", "two"});
  const std::vector<Row> rows = {
      {"shards of both formats",
       [&](BuiltSet& set, BuildOptions&) {
         set.Put("a", tf);
         const std::string message("\x0a\x09\x0a\x01k\x12\x04\x0a\x02\x0a\x00", 11);  // an OFRecord
         set.Put("b", ShardBytes(Framing::kOfRecord, {message}));
       },
       ErrorCode::kFormat},
      {"nothing at all", [](BuiltSet&, BuildOptions&) {}, ErrorCode::kFormat},
      {"no record file", [](BuiltSet& set, BuildOptions&) { set.Put("a", "text and no records"); }, ErrorCode::kFormat},
      {"no such data", [](BuiltSet&, BuildOptions& options) { options.data = {"missing"}; }, ErrorCode::kUsage},
      {"no data", [](BuiltSet&, BuildOptions& options) { options.data.clear(); }, ErrorCode::kUsage},
      {"two inputs without an index name",
       [&](BuiltSet& set, BuildOptions& options) {
         set.Put("a", tf);
         options.data.push_back(set.Shard("a"));
       },
       ErrorCode::kUsage},
      {"a glob without an index name", [](BuiltSet& set, BuildOptions& options) { options.data = {set.data() + "/*"}; },
       ErrorCode::kUsage},
      {"an index in a folder that does not exist",
       [&](BuiltSet& set, BuildOptions& options) {
         set.Put("a", tf);
         options.index = set.folder() + "/none/i.ofidx";
       },
       ErrorCode::kIo},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    BuiltSet set;
    BuildOptions options = set.Options();
    options.format.framing = std::nullopt;
    row.prepare(set, options);
    const Result<BuildReport> report = TryBuild(options);
    REQUIRE(!report.has_value());
    CHECK(report.error().code == row.code);
    CHECK(FilesIn(set.folder()) == std::set<std::string>{"train"});
  }
}

TEST_CASE("a file that is not an index is not overwritten, not even by force") {
  BuiltSet set;
  set.PutSome();
  WriteFile(set.index(), "somebody's file");
  CHECK(TryBuild(set.Options()).error().code == ErrorCode::kIndex);
  CHECK(ReadFile(set.index()) == "somebody's file");
  BuildOptions options = set.Options();
  options.force = true;
  CHECK(TryBuild(options).error().code == ErrorCode::kIndex);
  CHECK(ReadFile(set.index()) == "somebody's file");
  fs::remove(set.index());
  CHECK(set.Build(options).facts.records == 70);
}

TEST_CASE("a build removes the temporary files of a killed build, even if the index is up to date") {
  BuiltSet set;
  set.PutSome();
  for (int i = 0; i < 2; ++i) {
    WriteFile(set.index() + ".ofindex-draft", "left");
    WriteFile(set.map() + ".ofindex-draft", "left");
    CHECK(set.Build(set.Options()).was_up_to_date == (i == 1));
    CHECK(FilesIn(set.folder()) == kBuiltFiles);
  }
}

TEST_CASE("an index locates every record in the shards") {
  BuiltSet set;
  set.PutAllSorts();
  const BuildReport report = set.Build(set.Options(true));
  Result<OffsetMap> map = MapOf(set.index());
  REQUIRE(map.has_value());
  const RecordReader reader = RecordReader::Open(std::move(*map), set.folder(), {.allow_bad = true});
  REQUIRE(reader.size() == report.facts.records);
  uint64_t ordinal = 0;
  uint64_t payload_bytes = 0;
  for (uint32_t shard = 0; shard < report.shards.size(); ++shard) {
    CHECK(report.shards[shard].first_record == ordinal);
    for (uint64_t i = 0; i < report.shards[shard].records; ++i, ++ordinal) {
      const Result<RecordLocation> location = reader.Locate(ordinal);
      REQUIRE(location.has_value());
      REQUIRE(location->shard == shard);
      payload_bytes += location->length;
    }
  }
  CHECK(payload_bytes == report.facts.payload_bytes);
}

}  // namespace
}  // namespace ofindex
