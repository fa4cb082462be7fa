#include "query/sampling/sets/ordinal_set.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "query/sampling/sets/broadword.h"
#include "tests/query/sampling/sets/member_lists.h"

namespace ofindex {
namespace {

TEST_CASE("counting and selecting bits gives the same as testing each bit") {
  std::mt19937_64 random(1);
  std::vector<uint64_t> words = {1, 2, uint64_t{1} << 63, ~uint64_t{0}, 0x8000000000000001U};
  for (int i = 0; i < 300; ++i) words.push_back(i % 2 == 0 ? random() : random() & random() & random());
  for (const uint64_t word : words) {
    uint32_t k = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      if (((word >> bit) & 1) != 0) REQUIRE(SelectBit(word, k++) == bit);
    }
    CHECK(CountBits(word) == k);
  }
  CHECK(CountBits(0) == 0);
}

TEST_CASE("a set has the members given to it, each with its rank") {
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    REQUIRE(set.size() == members.size());
    CHECK(MembersOf(set) == members);
    bool found = true;
    for (uint64_t k = 0; k < members.size(); ++k) found = found && set.Select(k) == members[k];
    CHECK(found);
  }
}

TEST_CASE("rank and membership equal those of a sorted list") {
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    for (const uint64_t ordinal : Probes(members, 2)) {
      CAPTURE(ordinal);
      REQUIRE(set.Rank(ordinal) == RankOf(members, ordinal));
      REQUIRE(set.Contains(ordinal) == IsMember(members, ordinal));
    }
  }
}

TEST_CASE("members found in batches equal those found one by one") {
  std::mt19937_64 random(3);
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    for (const size_t count : {0U, 1U, 31U, 32U, 33U, 1000U}) {
      if (members.empty() && count != 0) continue;
      std::vector<uint64_t> numbers(count);
      Members expected(count);
      for (size_t i = 0; i < count; ++i) {
        numbers[i] = random() % members.size();
        expected[i] = members[numbers[i]];
      }
      set.SelectAll(numbers);
      CHECK(numbers == expected);
    }
  }
}

TEST_CASE("members with consecutive numbers, between others, equal those found one by one") {
  std::mt19937_64 random(5);
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    if (members.empty()) continue;
    const OrdinalSet set = SetOfMembers(members);
    for (int i = 0; i < 20; ++i) {
      std::vector<uint64_t> numbers;
      for (int part = 0; part < 4; ++part) {
        const uint64_t begin = random() % members.size();
        const uint64_t wanted = part == 3 ? 1 : random() % 200'000;
        for (uint64_t k = begin; k < std::min<uint64_t>(begin + wanted, members.size()); ++k) numbers.push_back(k);
      }
      Members expected;
      for (const uint64_t number : numbers) expected.push_back(members[number]);
      set.SelectAll(numbers);
      REQUIRE(numbers == expected);
    }
    std::vector<uint64_t> all(members.size());
    std::iota(all.begin(), all.end(), uint64_t{0});
    set.SelectAll(all);
    CHECK(all == members);
  }
}

TEST_CASE("a walk over the members of a set stops when the visitor returns false") {
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    for (const size_t stop : {size_t{1}, members.size() / 2, members.size()}) {
      size_t seen = 0;
      set.ForEach([&seen, stop](uint64_t) { return ++seen < stop; });
      CHECK(seen == std::min(std::max<size_t>(stop, 1), members.size()));
    }
  }
}

TEST_CASE("a slice of a set equals a set built from the members of the slice, down to its bytes") {
  std::mt19937_64 random(4);
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    CHECK(set.Slice(0, set.size()) == set);
    for (int i = 0; i < 12; ++i) {
      uint64_t begin = random() % (members.size() + 1);
      uint64_t end = random() % (members.size() + 1);
      if (begin > end) std::swap(begin, end);
      const Members slice(members.begin() + static_cast<std::ptrdiff_t>(begin),
                          members.begin() + static_cast<std::ptrdiff_t>(end));
      CHECK(set.Slice(begin, end) == SetOfMembers(slice));
    }
    const Members probes = Probes(members, 5);
    for (int i = 0; i < 12; ++i) {
      const uint64_t begin = probes[random() % probes.size()];
      const uint64_t end = probes[random() % probes.size()];
      CHECK(set.Between(begin, end) == SetOfMembers(Between(members, begin, end)));
      CHECK(set.Below(end) == SetOfMembers(Between(members, 0, end)));
    }
  }
}

TEST_CASE("the intersection of two sets equals that of two lists") {
  const std::vector<NamedMembers> shapes = Shapes();
  for (const NamedMembers& a : shapes) {
    const OrdinalSet a_set = SetOfMembers(a.members);
    for (const NamedMembers& b : shapes) {
      CAPTURE(a.name);
      CAPTURE(b.name);
      CHECK(a_set.Intersect(SetOfMembers(b.members)) == SetOfMembers(Common(a.members, b.members)));
    }
  }
}

// Makes the set from ranges and words at any offset, instead of one by one.
OrdinalSet InPieces(const Members& members, uint64_t seed) {
  std::mt19937_64 random(seed);
  OrdinalSet::Builder builder;
  for (size_t i = 0; i < members.size();) {
    size_t run = 1;
    while (i + run < members.size() && members[i + run] == members[i] + run) ++run;
    if (random() % 2 == 0) {
      run = random() % run + 1;
      builder.AddRange(members[i], members[i] + run);
      i += run;
      continue;
    }
    const uint64_t first = members[i] - std::min<uint64_t>(members[i], random() % 64);
    uint64_t bits = 0;
    for (; i < members.size() && members[i] - first < 64; ++i) bits |= uint64_t{1} << (members[i] - first);
    builder.AddBits(first, bits);
  }
  return builder.Take();
}

TEST_CASE("a set is the same however it was built") {
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    for (const uint64_t seed : {6U, 7U, 8U}) CHECK(InPieces(members, seed) == set);
  }
  OrdinalSet::Builder builder;
  builder.AddRange(7, 7);
  builder.AddRange(9, 3);
  CHECK(builder.Take() == OrdinalSet());
  builder.Add(5);
  CHECK(MembersOf(builder.Take()) == Members{5});
  builder.Add(3);  // a builder starts over after Take()
  CHECK(MembersOf(builder.Take()) == Members{3});
}

TEST_CASE("fingerprints and bytes are equal exactly if the sets are") {
  std::vector<OrdinalSet> sets;
  for (const NamedMembers& shape : Shapes()) {
    sets.push_back(SetOfMembers(shape.members));
    if (shape.members.empty()) continue;
    Members fewer = shape.members;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(fewer.size() / 2));
    if (!fewer.empty()) sets.push_back(SetOfMembers(fewer));
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    for (size_t j = 0; j < sets.size(); ++j) {
      const bool same = MembersOf(sets[i]) == MembersOf(sets[j]);
      REQUIRE((sets[i] == sets[j]) == same);
      REQUIRE((sets[i].Fingerprint() == sets[j].Fingerprint()) == same);
      REQUIRE((sets[i].Serialize() == sets[j].Serialize()) == same);
    }
  }
}

TEST_CASE("a range of any size takes the memory of one page entry, and is built at once") {
  const OrdinalSet all = OrdinalSet::Range(3, OrdinalSet::kEnd);
  CHECK(all.size() == OrdinalSet::kEnd - 3);
  CHECK(all.memory() <= sizeof(OrdinalSet) + 24);
  CHECK(all.Select(all.size() - 1) == OrdinalSet::kEnd - 1);
  CHECK(all.Rank(uint64_t{1} << 40) == (uint64_t{1} << 40) - 3);
  CHECK(all.Serialize().size() < 20);
  const OrdinalSet mixed = SetOfMembers(Mixed());
  CHECK(all.Intersect(mixed) == mixed);
  CHECK(mixed.Intersect(all) == mixed);
}

TEST_CASE("one record in ten takes at most 16 MB for 10^8 records") {
  const OrdinalSet set = SetOfMembers(Random(0, 10'000'000, 0.1, 9));
  CHECK(set.memory() <= 1'600'000);
  CHECK(set.Serialize().size() <= set.memory());
}

TEST_CASE("the layout of the bytes never changes") {
  struct Row {
    OrdinalSet set;
    std::vector<uint8_t> bytes;
  };
  const std::vector<Row> rows = {
      {OrdinalSet(), {1, 0}},                                                    // version, size
      {OrdinalSet::Range(5, 8), {1, 3, 1, 5, 3}},                                // a run: where, how many
      {SetOfMembers({65536 * 2 + 1, 65536 * 2 + 3}), {1, 2, 4, 2, 1, 0, 3, 0}},  // an array, two pages skipped
      {OrdinalSet::Range(65535, 65537), {1, 2, 1, 0xff, 0xff, 3, 2}},            // one run in two pages
      {SetOfMembers({1, 65536 * 3}), {1, 2, 1, 1, 1, 5, 0, 1}},                  // skipped since the previous run
  };
  for (const Row& row : rows) CHECK(row.set.Serialize() == row.bytes);
}

}  // namespace
}  // namespace ofindex
