#include "query/audit/near_groups.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace ofindex {
namespace {

void Flip(SimilarityHash& hash, unsigned bit) { hash.words[bit / 64] ^= uint64_t{1} << bit % 64; }

SimilarityHash RandomHash(std::mt19937_64& random) { return {.words = {random(), random()}}; }

// Hashes of which some are copies of others with a few bits flipped, and of which some share most parts with others.
std::vector<SimilarityEntry> SomeEntries(std::mt19937_64& random, size_t count) {
  std::vector<SimilarityEntry> entries;
  for (size_t i = 0; i < count; ++i) {
    SimilarityHash hash = RandomHash(random);
    if (i > 0 && random() % 3 != 0) {
      hash = entries[random() % i].hash;
      for (uint64_t flips = random() % 40; flips > 0; --flips) Flip(hash, static_cast<unsigned>(random() % 128));
    }
    entries.push_back({hash, 3 * i});
  }
  return entries;
}

struct GroupedOracle {
  std::vector<std::vector<uint64_t>> groups;
  std::vector<unsigned> distances;
};

// Compares all pairs.
GroupedOracle Grouped(const std::vector<SimilarityEntry>& entries, unsigned distance) {
  std::vector<size_t> group(entries.size());
  std::iota(group.begin(), group.end(), size_t{0});
  std::vector<unsigned> nearest(entries.size(), 129);
  for (size_t a = 0; a < entries.size(); ++a) {
    for (size_t b = 0; b < entries.size(); ++b) {
      const unsigned own = entries[a].hash.DistanceTo(entries[b].hash);
      if (a == b || own > distance) continue;
      nearest[a] = std::min(nearest[a], own);
      if (group[a] == group[b]) continue;
      const size_t from = std::max(group[a], group[b]);
      std::replace(group.begin(), group.end(), from, std::min(group[a], group[b]));
    }
  }
  std::map<size_t, std::vector<size_t>> members;
  for (size_t i = 0; i < entries.size(); ++i) members[group[i]].push_back(i);
  GroupedOracle oracle;
  for (const auto& [first, places] : members) {
    if (places.size() < 2) continue;
    auto& records = oracle.groups.emplace_back();
    for (const size_t place : places) {
      records.push_back(entries[place].record);
      oracle.distances.push_back(nearest[place]);
    }
  }
  return oracle;
}

void CheckGroups(std::vector<SimilarityEntry> entries, unsigned distance, std::mt19937_64& random) {
  const GroupedOracle oracle = Grouped(entries, distance);
  for (const unsigned threads : {1U, 3U}) {
    CAPTURE(distance);
    CAPTURE(threads);
    std::shuffle(entries.begin(), entries.end(), random);
    const Result<NearGroups> found = GroupNear(entries, distance, threads, {});
    REQUIRE(found);
    REQUIRE(found->groups.size() == oracle.groups.size());
    for (size_t i = 0; i < oracle.groups.size(); ++i) {
      const auto records = found->groups[i];
      CHECK(std::vector(records.begin(), records.end()) == oracle.groups[i]);
    }
    CHECK(std::vector<unsigned>(found->distances.begin(), found->distances.end()) == oracle.distances);
  }
}

TEST_CASE("groups of like hashes are those of a comparison of all pairs, in any order, on any number of threads") {
  std::mt19937_64 random(1);
  const std::vector<SimilarityEntry> entries = SomeEntries(random, 400);
  for (const unsigned distance : {0U, 1U, 7U, 8U, 15U, 16U, 23U, 24U, 31U}) CheckGroups(entries, distance, random);
}

TEST_CASE("pairs are found wherever their bits differ, also if every part of the hash is another") {
  std::mt19937_64 random(2);
  for (const unsigned differing : {7U, 8U, 15U, 16U, 23U, 24U, 31U, 32U}) {
    std::vector<SimilarityEntry> entries;
    for (uint64_t pair = 0; pair < 50; ++pair) {
      const SimilarityHash one = RandomHash(random);
      SimilarityHash other = one;
      // As many in each part as in the others, as far as there are any.
      const auto first = static_cast<unsigned>(random() % 8);
      for (unsigned i = 0; i < differing; ++i) Flip(other, (first + i) % 8 * 16 + (i / 8) * 4 + (first + i) % 4);
      REQUIRE(one.DistanceTo(other) == differing);
      entries.push_back({one, 2 * pair});
      entries.push_back({other, 2 * pair + 1});
    }
    for (const unsigned distance : {7U, 15U, 16U, 23U, 31U}) CheckGroups(entries, distance, random);
  }
}

TEST_CASE("chains connect records that are far apart, and nothing is in no group") {
  std::mt19937_64 random(3);
  std::vector<SimilarityEntry> entries = {{RandomHash(random), 9}};
  for (unsigned i = 0; i < 10; ++i) {
    SimilarityHash next = entries.back().hash;
    for (unsigned bit = 0; bit < 12; ++bit) Flip(next, 12 * i + bit);
    entries.push_back({next, 10 + i});
  }
  const Result<NearGroups> found = GroupNear(entries, 12, 2, {});
  REQUIRE(found);
  REQUIRE(found->groups.size() == 1);
  CHECK(found->groups[0].size() == 11);
  CHECK(GroupNear(entries, 11, 2, {})->groups.size() == 0);
  CHECK(GroupNear({}, 31, 2, {})->groups.size() == 0);
}

TEST_CASE("a search that is cancelled says so") {
  std::mt19937_64 random(4);
  Progress progress;
  progress.cancel = true;
  const Result<NearGroups> found = GroupNear(SomeEntries(random, 10), 31, 2, progress);
  REQUIRE(!found);
  CHECK(found.error().code == ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace ofindex
