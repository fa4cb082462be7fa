#include "index/merge/merger.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "index/catalog/catalog_reader.h"
#include "tests/index/merge/merging.h"
#include "tests/index/merge/random_set.h"
#include "tests/support/descriptor_limit.h"
#include "tests/support/files.h"

namespace ofindex {
namespace {

std::string MergedPath(const BuiltSet& set) { return set.folder() + "/merged.ofidx"; }

TEST_CASE("a part is written next to the data, without a map, and is left alone if it is up to date") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  BuildOptions options = PartOptions(set);
  options.part = PartChoice{.part = 2, .of = 3};
  CHECK(set.Build(options).index == set.folder() + "/train.part-2-of-3.ofidx");
  CHECK(FilesIn(set.folder()) == std::set<std::string>{"train", "train.part-2-of-3.ofidx"});
  CHECK(set.Build(options).was_up_to_date);
  set.Put("part-0", FiveSegments(2) + FiveSegments());
  Progress progress;
  const auto stale = BuildIndex(options, progress);
  REQUIRE_FALSE(stale.has_value());
  CHECK(stale.error().code == ErrorCode::kStale);
}

TEST_CASE("a part is no index: readers name the verb that makes one") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  const auto catalog = CatalogReader::Open(BuildPart(set, PartOptions(set), 1, 2));
  REQUIRE_FALSE(catalog.has_value());
  CHECK(catalog.error().code == ErrorCode::kIndex);
  CHECK(catalog.error().hint.text().find("ofindex merge") != std::string::npos);
}

TEST_CASE("more parts than there are segments leave some empty") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  set.Put("part-1", "");
  set.Put("part-2", ShardBytes(kTf, SomePayloads(3, 50)));
  set.Build(PartOptions(set));
  Merge(BuildParts(set, PartOptions(set), 40), MergedPath(set));
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
}

TEST_CASE("a thousand parts are merged with few descriptors") {
  BuiltSet set;
  std::string bytes;
  for (uint64_t i = 0; bytes.size() < 1000 * kTestSegmentBytes; ++i) bytes += FiveSegments(i);
  set.Put("part-0", bytes);
  const BuildOptions options = PartOptions(set);
  set.Build(options);
  const std::vector<std::string> parts = BuildParts(set, options, 1000);
  const DescriptorLimit limit(64);
  Merge(parts, MergedPath(set));
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
}

TEST_CASE("parts may be built somewhere else than where the index will lie") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  set.Put("part-1", FiveSegments(2));
  const BuildOptions options = PartOptions(set);
  set.Build(options);
  std::vector<std::string> parts;
  for (uint32_t part = 1; part <= 3; ++part) {
    BuildOptions one = options;
    one.part = PartChoice{.part = part, .of = 3};
    one.index = set.folder() + "/elsewhere-" + std::to_string(part);
    std::filesystem::create_directory(one.index);
    one.index += "/part.ofidx";
    set.Build(one);
    parts.push_back(one.index);
  }
  Merge(parts, MergedPath(set));
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
  CHECK(ReadFile(MapPathOf(MergedPath(set))) == ReadFile(set.map()));
}

// A set of 16 parts, some of which begin inside a payload that contains whole records.
class FalseRecords {
 public:
  FalseRecords() {
    std::string inner;
    while (inner.size() < 3000) inner += RecordBytes(kTf, "inner");
    set.Put("part-0", FiveSegments() + RecordBytes(kTf, inner) + RecordBytes(kTf, inner) + FiveSegments(2));
    report = set.Build(PartOptions(set));
    parts = BuildParts(set, PartOptions(set), 16);
  }

  BuiltSet set;
  BuildReport report;
  std::vector<std::string> parts;
};

TEST_CASE("a false record at the beginning of a range costs a second walk of it, and no wrong answer") {
  const FalseRecords made;
  Merge(made.parts, MergedPath(made.set));
  CHECK(ReadFile(MergedPath(made.set)) == ReadFile(made.set.index()));
}

TEST_CASE("a part that must be built again needs its data; the error names the part") {
  const FalseRecords made;
  std::filesystem::rename(made.set.data(), made.set.data() + "-moved");
  const auto before = FilesIn(made.set.folder());
  const auto report = TryMerge(made.parts, MergedPath(made.set));
  REQUIRE_FALSE(report.has_value());
  CAPTURE(report.error().message);
  CHECK(report.error().code == ErrorCode::kStale);
  CHECK(report.error().message.find(".part-") != std::string::npos);
  CHECK(report.error().message.find("cannot be built again") != std::string::npos);
  CHECK(report.error().message.find("no such file or folder") != std::string::npos);
  CHECK(FilesIn(made.set.folder()) == before);
}

TEST_CASE("records of parts that are built again are counted once") {
  const FalseRecords made;
  Progress progress;
  MergeOptions options{.inputs = made.parts, .index = MergedPath(made.set), .threads = 1};
  options.segment_bytes = kTestSegmentBytes;
  REQUIRE(MergeIndexes(options, progress).has_value());
  CHECK(progress.records_done == made.report.facts.records);
  CHECK(progress.shards_done == 1);
  CHECK(progress.bytes_total == 0);
}

TEST_CASE("a part is built again in a temporary file: other files stay, and what a killed merge left is removed") {
  const FalseRecords made;
  auto expected = FilesIn(made.set.folder());
  for (uint32_t part = 1; part <= 16; ++part) {
    const std::string name = PartPathOf("merged.ofidx", {.part = part, .of = 16}) + ".again";
    WriteFile(made.set.folder() + "/" + name + ".ofidx", "a file of the user");
    expected.insert(name + ".ofidx");
    WriteFile(made.set.folder() + "/" + name + std::string(kTemporarySuffix), "half a part");
    WriteFile(made.set.folder() + "/" + name + std::string(kTemporarySuffix) + std::string(kTemporarySuffix), "");
  }
  Merge(made.parts, MergedPath(made.set));
  CHECK(ReadFile(MergedPath(made.set)) == ReadFile(made.set.index()));
  for (const std::string& name : expected) CHECK(FilesIn(made.set.folder()).contains(name));
  std::filesystem::remove(MergedPath(made.set));
  Merge(made.parts, MergedPath(made.set));
  for (uint32_t part = 1; part <= 16; ++part) {
    const std::string name = made.set.folder() + "/" + PartPathOf("merged.ofidx", {.part = part, .of = 16});
    CHECK(ReadFile(name + ".again.ofidx") == "a file of the user");
  }
}

TEST_CASE("if every range begins with a record, the data are not needed") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  set.Put("part-1", Compressed(Compression::kGzip, FiveSegments(2)));
  const BuildOptions options = PartOptions(set);
  set.Build(options);
  const std::vector<std::string> parts = BuildParts(set, options, 4);
  std::filesystem::rename(set.data(), set.data() + "-moved");
  Merge(parts, MergedPath(set));
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
}

TEST_CASE("more feature names than an index keeps: the first in byte order, as in one build") {
  BuiltSet set;
  for (int shard = 0; shard < 4; ++shard) {
    std::string bytes;
    for (int i = 0; i < 20; ++i) {
      std::string features;
      for (int f = 0; f < 150; ++f) {
        const std::string name = "f" + std::to_string((shard * 7919 + i * 977 + f * 31) % 9000);
        features += Field(1, Field(1, name) + Field(2, Field(3, VarintField(1, 1))));
      }
      bytes += RecordBytes(kTf, Field(1, features));
    }
    set.Put("part-" + std::to_string(shard), bytes);
  }
  const BuildOptions options = PartOptions(set);
  const BuildReport report = set.Build(options);
  CHECK(report.facts.features_dropped);
  for (const uint32_t of : {1U, 2U, 4U}) {
    CAPTURE(of);
    REQUIRE(TryMerge(BuildParts(set, options, of), MergedPath(set), true).has_value());
    CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
  }
}

TEST_CASE("the skipped files of all parts are those of one build") {
  BuiltSet set;
  for (int i = 0; i < 6; ++i) set.Put("part-" + std::to_string(i), FiveSegments());
  for (int i = 0; i < 5; ++i) set.Put("notes-" + std::to_string(i) + ".txt", "not a record file " + std::to_string(i));
  const BuildOptions options = PartOptions(set);
  BuildOptions detect = options;
  detect.format.framing.reset();
  CHECK(set.Build(detect).skipped.size() == 5);
  const BuildReport merged = Merge(BuildParts(set, detect, 3), MergedPath(set));
  CHECK(merged.skipped.size() == 5);
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
}

TEST_CASE("some of the parts never replace a whole index, even by force; all of them do") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  set.Build(PartOptions(set));
  const std::string whole = ReadFile(set.index());
  const std::vector<std::string> parts = BuildParts(set, PartOptions(set), 3);
  const auto refused = TryMerge({parts[0], parts[1]}, set.index(), true);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUsage);
  CHECK(refused.error().message.find("parts 1 to 2 of 3") != std::string::npos);
  CHECK(ReadFile(set.index()) == whole);
  CHECK(TryMerge(parts, set.index(), true).has_value());
  // A part may replace a part.
  CHECK(TryMerge({parts[1]}, MergedPath(set)).has_value());
  CHECK(TryMerge({parts[0], parts[1]}, MergedPath(set), true).has_value());
}

TEST_CASE("a part that replaces a whole index by force removes its map") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  BuildOptions options = PartOptions(set);
  options.index = set.index();
  set.Build(options);
  options.part = PartChoice{.part = 1, .of = 2};
  options.force = true;
  set.Build(options);
  CHECK(FilesIn(set.folder()) == std::set<std::string>{"train", "train.ofidx"});
}

TEST_CASE("a name in columns that no record of all parts has is an error of the merge, as of one build") {
  BuiltSet set;
  std::mt19937_64 random(1);
  set.Put("part-0", RecordBytes(kTf, RandomMessage(kTf, 1, random)));
  BuildOptions options = PartOptions(set);
  options.columns = ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"lable"}};
  const std::vector<std::string> parts = BuildParts(set, options, 2);
  Progress progress;
  MergeOptions merge{.inputs = parts, .index = MergedPath(set)};
  const auto refused = MergeIndexes(merge, progress);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUsage);
  CHECK(refused.error().message.find("'lable' (did you mean 'label'?)") != std::string::npos);
  CHECK(FilesIn(set.folder()).count("merged.ofidx") == 0);
  merge.inputs = {parts[0]};
  CHECK(MergeIndexes(merge, progress).has_value());
  merge.inputs = parts;
  merge.force = true;
  merge.columns_optional = true;
  CHECK(MergeIndexes(merge, progress).has_value());
}

TEST_CASE("a large file that is no shard is skipped once, not by each part that has bytes of it") {
  BuiltSet set;
  set.Put("part-0", FiveSegments());
  set.Put("big.txt", std::string(10 * kTestSegmentBytes, 'n'));
  BuildOptions options = PartOptions(set);
  options.format.framing.reset();
  set.Build(options);
  const BuildReport merged = Merge(BuildParts(set, options, 8), MergedPath(set));
  CHECK(merged.skipped.size() == 1);
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
}

TEST_CASE("shards that their names imply are reported as by one build, unless parts are missing too") {
  BuiltSet set;
  set.Put("a-00000-of-00004", FiveSegments());
  set.Put("a-00001-of-00004", FiveSegments(2));
  set.Put("a-00003-of-00004", FiveSegments(3));
  const BuildOptions options = PartOptions(set);
  const std::vector<std::string> missing = set.Build(options).missing;
  CHECK(missing == std::vector<std::string>{"train/a-00002-of-00004"});
  std::vector<std::string> parts = BuildParts(set, options, 3);
  CHECK(Merge(parts, MergedPath(set)).missing == missing);
  CHECK(Merge({set.index()}, set.folder() + "/whole.ofidx").missing == missing);
  parts.pop_back();
  CHECK(Merge(parts, set.folder() + "/some.ofidx").missing.empty());
}

}  // namespace
}  // namespace ofindex
