#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "index/build/index_writer.h"
#include "proto/extract/extracted_feature.h"
#include "tests/index/merge/merging.h"
#include "tests/index/merge/random_set.h"
#include "tests/support/descriptor_limit.h"
#include "tests/support/files.h"

namespace ofindex {
namespace {

// A folder of shards, some of which have an index of their own.
class WholeSets {
 public:
  // Builds an index of these shards.
  std::string Build(const std::vector<std::string>& shards) {
    BuildOptions options = PartOptions(set);
    options.data.clear();
    for (const std::string& shard : shards) options.data.push_back(set.Shard(shard));
    options.index = set.folder() + "/index-" + std::to_string(count_++) + ".ofidx";
    set.Build(options);
    return options.index;
  }

  std::string Merge(std::vector<std::string> indexes) {
    std::string merged = set.folder() + "/merged-" + std::to_string(count_++) + ".ofidx";
    ofindex::Merge(indexes, merged);
    return merged;
  }

  BuiltSet set;

 private:
  int count_ = 0;
};

TEST_CASE("whole indexes make the bytes of one build of all their shards") {
  WholeSets sets;
  std::mt19937_64 random(1);
  std::vector<std::string> names;
  for (uint64_t shard = 0; shard < 12; ++shard) {
    names.push_back("part-" + std::to_string(shard));
    std::string bytes;
    for (uint64_t i = 0; i < 30; ++i) bytes += RecordBytes(kTf, RandomMessage(kTf, i + 100 * shard, random));
    if (shard % 5 == 2) bytes += "damage";
    if (shard % 5 == 3) bytes = Compressed(Compression::kGzip, bytes);
    sets.set.Put(names.back(), bytes);
  }
  const std::string at_once = ReadFile(sets.Build(names));
  const auto slice = [&](size_t begin, size_t end) {
    return sets.Build(
        {names.begin() + static_cast<std::ptrdiff_t>(begin), names.begin() + static_cast<std::ptrdiff_t>(end)});
  };
  const std::string a = slice(0, 3);
  const std::string b = slice(3, 4);
  const std::string c = slice(4, 12);
  CHECK(ReadFile(sets.Merge({c, a, b})) == at_once);
  CHECK(ReadFile(sets.Merge({sets.Merge({b, a}), c})) == at_once);
  CHECK(ReadFile(sets.Merge({a, sets.Merge({c, b})})) == at_once);
}

TEST_CASE("shards of several indexes are put in natural order, and records are numbered again") {
  WholeSets sets;
  for (const char* name : {"part-1", "part-2", "part-9", "part-10"}) {
    sets.set.Put(name, ShardBytes(kTf, SomePayloads(10, 50, static_cast<uint64_t>(name[5]))));
  }
  const std::string even = sets.Build({"part-2", "part-10"});
  const std::string odd = sets.Build({"part-1", "part-9"});
  const std::string merged = sets.Merge({even, odd});
  CHECK(ReadFile(merged) == ReadFile(sets.Build({"part-1", "part-2", "part-9", "part-10"})));
  CHECK(ReadFile(sets.Merge({odd, even})) == ReadFile(merged));
}

TEST_CASE("the order of shards may differ between the folders of the indexes") {
  WholeSets sets;
  const std::string inside = sets.set.folder() + "/q";
  std::filesystem::create_directories(inside);
  WriteFile(sets.set.folder() + "/z-0.tfrecord", ShardBytes(kTf, SomePayloads(10, 50, 1)));
  WriteFile(inside + "/b-0.tfrecord", ShardBytes(kTf, SomePayloads(20, 50, 2)));
  BuildOptions options = PartOptions(sets.set);
  options.data = {sets.set.folder() + "/z-0.tfrecord", inside + "/b-0.tfrecord"};
  options.index = inside + "/inside.ofidx";  // ../z-0 is before b-0 here
  sets.set.Build(options);
  options.index = sets.set.folder() + "/at-once.ofidx";  // but z-0 is after q/b-0 here
  std::swap(options.data[0], options.data[1]);           // sources are sorted by a merge
  sets.set.Build(options);
  CHECK(ReadFile(sets.Merge({inside + "/inside.ofidx"})) == ReadFile(options.index));
}

// Returns a record with these features.
std::string RecordWith(const std::vector<std::string>& names) {
  std::string features;
  for (const std::string& name : names) features += Field(1, Field(1, name) + Field(2, Field(3, VarintField(1, 1))));
  return RecordBytes(kTf, Field(1, features));
}

TEST_CASE("a feature that one index dropped, because its names were too long, is dropped from the merged index") {
  WholeSets sets;
  std::vector<std::string> names;
  for (char c = 'a'; c < 'q'; ++c) names.emplace_back(kMaxNameBytes - 1, c);
  names.emplace_back(kMaxNameBytes, 'y');  // does not fit, so neither it nor any name after it is kept
  names.emplace_back("z");
  sets.set.Put("part-0", RecordWith(names));
  sets.set.Put("part-1", RecordWith({"a", "z"}));  // z would fit here
  const std::string a = sets.Build({"part-0"});
  const std::string b = sets.Build({"part-1"});
  const std::string at_once = ReadFile(sets.Build({"part-0", "part-1"}));
  CHECK(ReadFile(sets.Merge({a, b})) == at_once);
  CHECK(ReadFile(sets.Merge({b, a})) == at_once);
}

TEST_CASE("records are numbered again if any gets another ordinal, also in a merge of one index") {
  WholeSets sets;
  std::filesystem::create_directories(sets.set.folder() + "/q");
  WriteFile(sets.set.folder() + "/z-0.tfrecord", ShardBytes(kTf, SomePayloads(10, 50, 1)));
  WriteFile(sets.set.folder() + "/q/b-0.tfrecord", ShardBytes(kTf, SomePayloads(20, 50, 2)));
  sets.set.Put("part-0", ShardBytes(kTf, SomePayloads(5, 50, 1)));
  sets.set.Put("part-1", "");
  BuildOptions options = PartOptions(sets.set);
  options.data = {sets.set.folder() + "/z-0.tfrecord", sets.set.folder() + "/q/b-0.tfrecord"};
  options.index = sets.set.folder() + "/q/inside.ofidx";
  sets.set.Build(options);
  CHECK(Merge({options.index}, sets.set.folder() + "/outside.ofidx").renumbered);
  CHECK_FALSE(Merge({options.index}, sets.set.folder() + "/q/same.ofidx").renumbered);
  const std::string first = sets.Build({"part-0"});
  CHECK_FALSE(Merge({sets.Build({"part-1"}), first}, sets.set.folder() + "/empty.ofidx").renumbered);
  CHECK(Merge({first, options.index}, sets.set.folder() + "/both.ofidx").renumbered);
}

TEST_CASE("a file that several indexes skipped is listed and counted once") {
  WholeSets sets;
  std::vector<std::string> indexes;
  for (const char* name : {"part-0", "part-1", "part-2"}) {
    sets.set.Put(name, ShardBytes(kTf, SomePayloads(5, 50, static_cast<uint64_t>(name[5]))));
    BuildOptions options = PartOptions(sets.set);
    options.format.framing.reset();
    sets.set.Put("notes.txt", "not a record file");
    options.data = {sets.set.Shard(name), sets.set.Shard("notes.txt")};
    options.index = sets.set.folder() + "/" + name + ".ofidx";
    CHECK(sets.set.Build(options).skipped.size() == 1);
    indexes.push_back(options.index);
  }
  const BuildReport merged = Merge(indexes, sets.set.folder() + "/merged.ofidx");
  CHECK(merged.skipped.size() == 1);
  CHECK(merged.facts.skipped == 1);
}

// Writes a whole index without shards that lists `count` skipped files, from number `first` on, and claims `total`.
std::string IndexOfSkipped(const std::string& path, uint64_t first, uint64_t count, uint64_t total) {
  WriteFile(path, "");
  auto writer = IndexWriter::Begin(path, std::nullopt, ColumnChoice{});
  REQUIRE(writer.has_value());
  std::vector<SkippedFile> skipped;
  for (uint64_t i = first; i < first + count; ++i) {
    const auto kind = i == first + count - 1 ? SkippedFile::Kind::kUnreadable : SkippedFile::Kind::kForeign;
    skipped.push_back({.path = "image-" + std::to_string(i) + ".jpg", .reason = "not a record file", .kind = kind});
  }
  DatasetFacts facts;
  REQUIRE(writer->AddSkipped(skipped, facts).has_value());
  facts.skipped = total;
  REQUIRE(writer->Finish(facts, path).has_value());
  return path;
}

TEST_CASE("skipped files of many indexes take no more memory and rows than those of one; unreadable ones are kept") {
  const TempDir dir;
  std::vector<std::string> indexes;
  for (uint64_t i = 0; i < 4; ++i) {
    const std::string path = dir / ("index-" + std::to_string(i) + ".ofidx");
    indexes.push_back(IndexOfSkipped(path, i * kMaxSkipped, kMaxSkipped, kMaxSkipped + i));
  }
  BuildReport merged = Merge(indexes, dir / "merged.ofidx");
  CHECK(merged.facts.skipped == 4 * kMaxSkipped + 6);
  CHECK(merged.skipped.size() == kMaxSkipped);
  CHECK(std::count_if(merged.skipped.begin(), merged.skipped.end(), IsUnreadable) == 4);
  CHECK(std::is_sorted(merged.skipped.begin(), merged.skipped.end(),
                       [](const SkippedFile& a, const SkippedFile& b) { return NaturalLess(a.path, b.path); }));
  indexes.push_back(IndexOfSkipped(dir / "forged.ofidx", 0, 1, std::numeric_limits<int64_t>::max()));
  indexes.push_back(IndexOfSkipped(dir / "more.ofidx", 1, 1, std::numeric_limits<int64_t>::max()));
  indexes.push_back(IndexOfSkipped(dir / "most.ofidx", 2, 1, std::numeric_limits<int64_t>::max()));
  const auto report = TryMerge(indexes, dir / "merged.ofidx", true);
  REQUIRE(report.has_value());
  CHECK(report->facts.skipped >= uint64_t{std::numeric_limits<int64_t>::max()} - 3);
}

TEST_CASE("a thousand whole indexes are merged with few descriptors") {
  WholeSets sets;
  std::vector<std::string> names;
  std::vector<std::string> indexes;
  for (uint64_t i = 0; i < 1000; ++i) {
    names.push_back("part-" + std::to_string(i));
    sets.set.Put(names.back(),
                 RecordBytes(kTf, Field(1, Field(1, Field(1, "label") + Field(2, Field(3, VarintField(1, i)))))));
  }
  for (const std::string& name : names) indexes.push_back(sets.Build({name}));
  const std::string at_once = sets.Build(names);
  const DescriptorLimit limit(64);
  CHECK(ReadFile(sets.Merge(indexes)) == ReadFile(at_once));
}

}  // namespace
}  // namespace ofindex
