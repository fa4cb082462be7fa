#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/index/merge/merging.h"
#include "tests/index/merge/random_set.h"
#include "tests/support/descriptor_limit.h"
#include "tests/support/files.h"

namespace ofindex {
namespace {

constexpr Framing kTf = Framing::kTfRecord;

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
