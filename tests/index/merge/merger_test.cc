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

constexpr Framing kTf = Framing::kTfRecord;

// Returns records of about 40 bytes, 10 KB in all: 5 segments.
std::string Records(uint64_t seed = 1) { return ShardBytes(kTf, SomePayloads(250, 50, seed)); }

std::string MergedPath(const BuiltSet& set) { return set.folder() + "/merged.ofidx"; }

TEST_CASE("a part is written next to the data, without a map, and is left alone if it is up to date") {
  BuiltSet set;
  set.Put("part-0", Records());
  BuildOptions options = PartOptions(set);
  options.part = PartChoice{.part = 2, .of = 3};
  CHECK(set.Build(options).index == set.folder() + "/train.part-2-of-3.ofidx");
  CHECK(FilesIn(set.folder()) == std::set<std::string>{"train", "train.part-2-of-3.ofidx"});
  CHECK(set.Build(options).was_up_to_date);
  set.Put("part-0", Records(2) + Records());
  Progress progress;
  const auto stale = BuildIndex(options, progress);
  REQUIRE_FALSE(stale.has_value());
  CHECK(stale.error().code == ErrorCode::kStale);
}

TEST_CASE("a part is no index: readers name the verb that makes one") {
  BuiltSet set;
  set.Put("part-0", Records());
  const auto catalog = CatalogReader::Open(BuildPart(set, PartOptions(set), 1, 2));
  REQUIRE_FALSE(catalog.has_value());
  CHECK(catalog.error().code == ErrorCode::kIndex);
  CHECK(catalog.error().hint.text().find("ofindex merge") != std::string::npos);
}

TEST_CASE("more parts than there are segments leave some empty") {
  BuiltSet set;
  set.Put("part-0", Records());
  set.Put("part-1", "");
  set.Put("part-2", ShardBytes(kTf, SomePayloads(3, 50)));
  set.Build(PartOptions(set));
  Merge(BuildParts(set, PartOptions(set), 40), MergedPath(set));
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
}

TEST_CASE("a thousand parts are merged with few descriptors") {
  BuiltSet set;
  std::string bytes;
  for (uint64_t i = 0; bytes.size() < 1000 * kTestSegmentBytes; ++i) bytes += Records(i);
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
  set.Put("part-0", Records());
  set.Put("part-1", Records(2));
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

TEST_CASE("a false record at the beginning of a range costs a second walk of it, and no wrong answer") {
  BuiltSet set;
  // The second segment begins inside a payload that contains whole records.
  std::string inner;
  while (inner.size() < 3000) inner += RecordBytes(kTf, "inner");
  set.Put("part-0", Records() + RecordBytes(kTf, inner) + RecordBytes(kTf, inner) + Records(2));
  const BuildOptions options = PartOptions(set);
  set.Build(options);
  Merge(BuildParts(set, options, 16), MergedPath(set));
  CHECK(ReadFile(MergedPath(set)) == ReadFile(set.index()));
  // The data are needed for it.
  std::filesystem::rename(set.data(), set.data() + "-moved");
  std::vector<std::string> parts;
  for (uint32_t part = 1; part <= 16; ++part) parts.push_back(PartPathOf(set.index(), {.part = part, .of = 16}));
  std::filesystem::remove(MergedPath(set));
  std::filesystem::remove(MapPathOf(MergedPath(set)));
  CHECK_FALSE(TryMerge(parts, MergedPath(set)).has_value());
}

TEST_CASE("if every range begins with a record, the data are not needed") {
  BuiltSet set;
  set.Put("part-0", Records());
  set.Put("part-1", Compressed(Compression::kGzip, Records(2)));
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
  for (int i = 0; i < 6; ++i) set.Put("part-" + std::to_string(i), Records());
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
  set.Put("part-0", Records());
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
  set.Put("part-0", Records());
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

}  // namespace
}  // namespace ofindex
