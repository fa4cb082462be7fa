#include "query/sampling/orders/permutation.h"

#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "query/sampling/orders/sample_key.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

uint64_t ShuffleKey(uint64_t seed, uint64_t epoch = 0) { return SampleKey(seed, epoch, SampleUse::kShuffle); }

// Returns whether `permutation` gives each of its elements once.
bool IsBijection(const Permutation& permutation) {
  std::vector<uint64_t> elements(permutation.size());
  permutation.Fill(0, 1, elements);
  std::vector<bool> seen(elements.size());
  for (const uint64_t element : elements) {
    if (element >= seen.size() || seen[element]) return false;
    seen[element] = true;
  }
  return true;
}

// Sizes around every power of two in range, and the largest.
std::vector<uint64_t> SizesAroundPowersOfTwo() {
  std::set<uint64_t> sizes;
  for (uint64_t power = 1; power <= kMaxSampled; power *= 2)
    for (const uint64_t size : {power - 1, power, power + 1})
      if (size > 0 && size <= kMaxSampled) sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

TEST_CASE("permutations of up to 4096 elements contain each element once, for a hundred seeds") {
  // Sanitizers take ten times as long, so with them each size uses only ten of the hundred seeds.
  const uint64_t seeds = kSanitized ? 10 : 100;
  for (uint64_t size = 1; size <= 4096; ++size) {
    const uint64_t first = size % (100 / seeds) * seeds;
    uint64_t wrong = 0;
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
      wrong += IsBijection(Permutation(size, ShuffleKey(seed))) ? 0U : 1U;
    }
    CHECK_MESSAGE(wrong == 0, size);
  }
}

TEST_CASE("a permutation can have any number of elements, even more than any dataset") {
  for (const uint64_t size : {kMaxSampled, (uint64_t{1} << 62) - 1, uint64_t{1} << 62, (uint64_t{1} << 62) + 1,
                              (uint64_t{1} << 63) - 1, uint64_t{1} << 63, kMax - 1, kMax}) {
    CHECK(Permutation(size, 1).size() == size);
  }
}

TEST_CASE("any even number of rounds gives every element once") {
  for (const uint64_t size : {1U, 2U, 3U, 5U, 9U, 100U, 1025U, 65537U})
    for (uint32_t rounds = 2; rounds <= Permutation::kMaxRounds; rounds += 2)
      CHECK(IsBijection(Permutation(size, ShuffleKey(1), rounds)));
}

TEST_CASE("for sizes around every power of two up to 2^48, the inverse of an element is its position") {
  std::mt19937_64 random(1);
  for (const uint64_t size : SizesAroundPowersOfTwo()) {
    CAPTURE(size);
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const Permutation permutation(size, ShuffleKey(seed));
      for (const uint64_t x : {uint64_t{0}, size / 2, size - 1, random() % size, random() % size}) {
        const uint64_t element = permutation.At(x);
        REQUIRE(element < size);
        REQUIRE(permutation.PositionOf(element) == x);
        const uint64_t position = permutation.PositionOf(x);
        REQUIRE(position < size);
        REQUIRE(permutation.At(position) == x);
      }
    }
  }
}

TEST_CASE("the inverse of an element is its position, even next to the edges of the permutation's rectangle") {
  // The divisor is the number of right halves. Wrong quotients would show at its multiples and next to them.
  for (const uint64_t root : {3ULL, 31ULL, 32ULL, 1023ULL, 65535ULL, 1048575ULL, 16777215ULL, 16777216ULL}) {
    for (const uint64_t size : {root * root - 1, root * root, root * root - root + 1}) {
      CAPTURE(size);
      const Permutation permutation(size, ShuffleKey(root));
      for (uint64_t row = 1; row < root; row += 1 + root / 500)
        for (const uint64_t x : {row * root - 1, row * root, row * (root - 1) - 1, row * (root - 1)})
          if (x < size) REQUIRE(permutation.PositionOf(permutation.At(x)) == x);
    }
  }
}

TEST_CASE("elements computed in batches equal those computed one by one") {
  for (const uint64_t size : SizesAroundPowersOfTwo()) {
    CAPTURE(size);
    const Permutation permutation(size, ShuffleKey(size));
    for (const uint64_t step : {uint64_t{1}, uint64_t{2}, uint64_t{8}, size / 100 + 1}) {
      for (const uint64_t first : {uint64_t{0}, uint64_t{1}, size / 3}) {
        for (const size_t length : {0U, 1U, 15U, 16U, 17U, 32U, 50U}) {  // elements are computed 16 at a time
          if (first + (length > 0 ? length - 1 : 0) * step >= size) continue;
          std::vector<uint64_t> elements(length);
          permutation.Fill(first, step, elements);
          for (size_t i = 0; i < length; ++i) REQUIRE(elements[i] == permutation.At(first + i * step));
        }
      }
    }
  }
}

TEST_CASE("a batch may have any size, and nothing is written outside its span") {
  std::vector<uint64_t> elements(1013, kMax);
  const Permutation permutation(1009, ShuffleKey(1));
  permutation.Fill(0, 1, std::span(elements).subspan(2, 1009));
  CHECK(elements[1] == kMax);
  CHECK(elements[1011] == kMax);
  for (uint64_t i = 0; i < 1009; ++i) REQUIRE(elements[i + 2] == permutation.At(i));
}

// The values below are frozen, because saved states depend on them: a change requires a new kSamplingVersion. All were
// computed by a second implementation, in Python.

TEST_CASE("the elements of permutations are those of algorithm version 1") {
  REQUIRE(kSamplingVersion == 1);
  struct Row {
    uint64_t size;
    uint64_t seed;
    std::vector<uint64_t> elements;
  };
  const std::vector<Row> rows = {
      {1U, 0, {0}},
      {2U, 0, {0, 1}},
      {8U, 0, {2, 1, 4, 5, 7, 3, 6, 0}},
      {8U, 1, {4, 3, 6, 0, 5, 7, 1, 2}},
      {9U, 0, {2, 1, 4, 5, 7, 3, 6, 8}},
      {10U, 0, {0, 7, 2, 5, 4, 1, 6, 3}},
      {1000U, 0, {747, 645, 698, 623, 265, 183, 578, 786}},
      {1023U, 0, {747, 645, 698, 623, 265, 183, 578, 786}},
      {1024U, 0, {772, 563, 186, 554, 988, 589, 814, 953}},
      {65535U, 0, {27970, 61451, 30797, 6217, 43950, 2428, 53750, 24275}},
      {65536U, 0, {10659, 60872, 35643, 10195, 40137, 31534, 65158, 23350}},
      {1000000U, 0, {383669, 807424, 363490, 678163, 806162, 489824, 411330, 983518}},
      {1000000U, 1, {876343, 955372, 760220, 587425, 183390, 744441, 390389, 657215}},
      {1000000007U, 0, {186425379, 90778391, 77033569, 112802795, 550053853, 814883286, 561067995, 343389511}},
      {(uint64_t{1} << 40) + 1,
       0,
       {111821372172, 387473706637, 1012047916276, 88002965411, 989565854232, 446034897742, 462167205521,
        441179863288}},
      {kMaxSampled,
       0,
       {17885861346291, 271112676150853, 212728920210620, 108418478072727, 155339466364124, 199168032342199,
        269316052345163, 14573096349762}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.size);
    std::vector<uint64_t> found(row.elements.size());
    Permutation(row.size, ShuffleKey(row.seed)).Fill(0, 1, found);
    CHECK(found == row.elements);
  }
}

TEST_CASE("the keys of samples are those of algorithm version 1") {
  REQUIRE(kSamplingVersion == 1);
  struct Row {
    uint64_t key;
    uint64_t number;
    uint64_t value;
  };
  const std::vector<Row> rows = {
      {0, 0, 0x48218226ff3cd4bfU}, {0, 1, 0xa706dd2f4d197e6fU},       {1, 0, 0xdce423fc82c0d5b8U},
      {1, 1, 0x5e41ab087439611eU}, {kMax, kMax, 0x2dfe1aa565b7ff81U},
  };
  for (const auto& [key, number, value] : rows) CHECK(SampleKey(key, number) == value);

  struct UseRow {
    uint64_t seed;
    uint64_t epoch;
    SampleUse use;
    uint64_t value;
  };
  const std::vector<UseRow> uses = {
      {0, 0, SampleUse::kShuffle, 0x5db5f55f07a31351U},        {0, 1, SampleUse::kShuffle, 0x2130748aaac80268U},
      {1, 0, SampleUse::kShuffle, 0x641ba43f1f938606U},        {0, 0, SampleUse::kRuns, 0x43992c087541db86U},
      {0, 0, SampleUse::kWindows, 0x39ae7c7cc7e08c7bU},        {0, 0, SampleUse::kDraws, 0x41eff05288342c1cU},
      {0, 0, SampleUse::kSplit, 0xbf1e865da71a8884U},          {0, 0, SampleUse::kMixture, 0x7d5714c5d77b1289U},
      {20240229, 7, SampleUse::kShuffle, 0x0861cd703eec4589U},
  };
  for (const auto& [seed, epoch, use, value] : uses) CHECK(SampleKey(seed, epoch, use) == value);
}

TEST_CASE("the second epoch of a seed differs from the first epoch of the next seed") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Permutation next_epoch(1000, ShuffleKey(seed, 1));
    const Permutation next_seed(1000, ShuffleKey(seed + 1, 0));
    uint64_t same = 0;
    for (uint64_t i = 0; i < 1000; ++i) same += next_epoch.At(i) == next_seed.At(i) ? 1U : 0U;
    CHECK(same < 10);  // one is expected
  }
}

TEST_CASE("many seeds, epochs and uses all have different keys") {
  std::set<uint64_t> keys;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (uint64_t epoch = 0; epoch < 100; ++epoch)
      for (uint64_t use = 1; use <= 6; ++use) keys.insert(SampleKey(seed, epoch, static_cast<SampleUse>(use)));
  CHECK(keys.size() == 100 * 100 * 6);
}

TEST_CASE("Below() gives 0 for the smallest random number, and bound - 1 for the largest") {
  for (const uint64_t below : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{1} << 48, kMax}) {
    CHECK(Below(0, below) == 0);
    CHECK(Below(kMax, below) == below - 1);
  }
}

}  // namespace
}  // namespace ofindex
