#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/index/merge/merging.h"
#include "tests/index/merge/random_set.h"
#include "tests/support/files.h"

// Random datasets, built at once and in random parts: see docs/testing.md for OFINDEX_PARTITIONS.

namespace ofindex {
namespace {

TEST_CASE("parts merged in any order and nesting make the bytes of one build") {
  uint64_t partitions = 0;
  // Some sets have no file that is recognised as a shard: far less than half of them.
  for (uint64_t seed = 0; partitions < Partitions() && seed < 2 * Partitions() + 100; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Framing framing = random() % 4 == 0 ? Framing::kOfRecord : Framing::kTfRecord;
    BuiltSet set(framing);
    PutRandomShards(set, framing, random);
    const BuildOptions options = RandomOptions(set, random);
    Progress progress;
    if (!BuildIndex(options, progress)) continue;  // no file of the set is recognised as a shard
    const std::vector<std::string> parts = BuildParts(set, options, static_cast<uint32_t>(1 + random() % 12));
    const std::string merged = MergeAtRandom(set, parts, random);
    REQUIRE(ReadFile(merged) == ReadFile(set.index()));
    REQUIRE(ReadFile(MapPathOf(merged)) == ReadFile(set.map()));
    ++partitions;
  }
  REQUIRE(partitions == Partitions());
}

}  // namespace
}  // namespace ofindex
