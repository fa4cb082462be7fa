#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"
#include "tests/query/sampling/orders/p_value_table.h"
#include "tests/query/sampling/orders/shuffle_tests.h"

// docs/sampling.md shows the p-values of these tests. If OFINDEX_PVALUES names a file, they are appended to it. Then
// the tests also compute and append p-values for other numbers of rounds, which takes minutes.

namespace ofindex {
namespace {

// The smallest allowed distance of a p-value from 0 and from 1. With new random keys, one of the 500 p-values would be
// closer by chance in one of ten runs (2 * 500 * 1e-4). But the keys are fixed, so the tests give the same result until
// the algorithm changes. Orders with a pattern are closer by many powers of ten, as the test of two rounds shows.
constexpr double kUnlikely = 1e-4;

constexpr uint64_t kOrders = 100'000;
const std::vector<uint64_t> kSizes = {5, 8, 13, 33, 100, 257, 1000, 4097, 65537, 1'000'000, uint64_t{1} << 48};

uint64_t Rows(uint64_t size) { return static_cast<uint64_t>(std::ceil(std::sqrt(static_cast<double>(size)))); }

// Returns a distance: two positions that far apart have the same right half.
uint64_t RowLength(uint64_t size) {
  const uint64_t length = (size + Rows(size) - 1) / Rows(size);
  return length + (length & Rows(size) & 1);
}

using KeyOf = uint64_t (*)(uint64_t number);
uint64_t SeedKey(uint64_t number) { return SampleKey(number, 0, SampleUse::kShuffle); }
uint64_t EpochKey(uint64_t number) { return SampleKey(1, number, SampleUse::kShuffle); }

// The number of orders of which a few elements are tested, and of which all elements are tested.
struct Effort {
  uint64_t few;
  uint64_t whole;
};

// Tests about `elements` elements in whole orders: 30 to `few` orders, but none if a single order is too large.
Effort EffortFor(uint64_t size, uint64_t few, uint64_t elements) {
  if (size > 10'000'000) return {.few = few, .whole = 0};
  return {.few = few, .whole = std::clamp<uint64_t>(elements / size, 30, few)};
}

// Returns the p-values of the orders `make`(0), `make`(1), ...
template <typename Make>
std::vector<PValue> Judge(uint64_t size, Effort effort, Make make) {
  std::vector<PValue> all;
  if (effort.few > 0) {
    FewElements few(size, RowLength(size));
    for (uint64_t i = 0; i < effort.few; ++i) few.Add(make(i));
    all = few.PValues();
  }
  if (effort.whole > 0) {
    WholeOrders whole(size, RowLength(size));
    std::vector<uint64_t> elements(size);
    for (uint64_t i = 0; i < effort.whole; ++i) {
      make(i).Fill(0, 1, elements);
      whole.Add(elements);
    }
    for (PValue& value : whole.PValues()) all.push_back(std::move(value));
  }
  return all;
}

std::vector<PValue> JudgePermutation(uint64_t size, Effort effort, KeyOf key, uint32_t rounds) {
  return Judge(size, effort, [&](uint64_t i) { return Permutation(size, key(i), rounds); });
}

// A Fisher-Yates shuffle, for comparison.
class Shuffled {
 public:
  Shuffled(uint64_t size, std::mt19937_64& random) : elements_(size) {
    std::iota(elements_.begin(), elements_.end(), uint64_t{0});
    for (uint64_t i = size; i > 1; --i) std::swap(elements_[i - 1], elements_[Below(random(), i)]);
  }
  [[nodiscard]] uint64_t At(uint64_t position) const { return elements_[position]; }
  [[nodiscard]] uint64_t PositionOf(uint64_t element) const {
    return static_cast<uint64_t>(std::find(elements_.begin(), elements_.end(), element) - elements_.begin());
  }
  void Fill(uint64_t, uint64_t, std::span<uint64_t> out) const {
    std::copy(elements_.begin(), elements_.end(), out.begin());
  }

 private:
  std::vector<uint64_t> elements_;
};

void CheckLikely(uint64_t size, const std::vector<PValue>& values) {
  for (const PValue& value : values) {
    CAPTURE(size);
    CAPTURE(value.name);
    CHECK(value.p > kUnlikely);
    CHECK(value.p < 1 - kUnlikely);
  }
}

// Returns the probability that, by chance, any of `values` is as unlikely as the least likely one (Bonferroni).
double LeastLikely(const std::vector<PValue>& values) {
  double least = 1;
  for (const PValue& value : values) least = std::min({least, 2 * value.p, 2 * (1 - value.p)});
  return std::min(1.0, least * static_cast<double>(values.size()));
}

// Returns the p-value of the orders of `size` elements, taken one by one.
double EveryOrderP(uint64_t size, uint64_t orders, KeyOf key, uint32_t rounds) {
  uint64_t possible = 1;
  for (uint64_t i = 2; i <= size; ++i) possible *= i;
  Histogram counts(possible, possible);
  std::vector<uint64_t> order(size);
  for (uint64_t i = 0; i < orders; ++i) {
    Permutation(size, key(i), rounds).Fill(0, 1, order);
    counts.Add(Rank(order));
  }
  return counts.P();
}

TEST_CASE("orders of consecutive seeds are uniform") {
  PValueTable table;
  for (const uint64_t size : kSizes) {
    const Effort effort = EffortFor(size, kOrders, 10'000'000);
    const auto values = JudgePermutation(size, effort, SeedKey, Permutation::RoundsFor(size));
    CheckLikely(size, values);
    table.Add(size, values);
  }
  table.Write("Consecutive seeds:");
}

TEST_CASE("orders of consecutive epochs are uniform") {
  PValueTable table;
  for (const uint64_t size : kSizes) {
    const Effort effort = EffortFor(size, kOrders, 3'000'000);
    const auto values = JudgePermutation(size, effort, EpochKey, Permutation::RoundsFor(size));
    CheckLikely(size, values);
    table.Add(size, values);
  }
  table.Write("Consecutive epochs of one seed:");
}

TEST_CASE("two rounds are detected as not uniform at every size") {
  PValueTable table;
  for (const uint64_t size : kSizes) {
    const auto values = JudgePermutation(size, EffortFor(size, kOrders / 10, 1'000'000), SeedKey, 2);
    CAPTURE(size);
    CHECK(LeastLikely(values) < 1e-30);
    table.Add(size, values);
  }
  table.Write("Two rounds:");
}

TEST_CASE("a Fisher-Yates shuffle passes the same tests") {
  PValueTable table;
  std::mt19937_64 random(1);
  for (const uint64_t size : kSizes) {
    Effort effort = EffortFor(size, kOrders, 3'000'000);
    if (size > 300) effort.few = 0;  // shuffling takes as long for a few elements as for all
    const auto values = Judge(size, effort, [&](uint64_t) { return Shuffled(size, random); });
    CheckLikely(size, values);
    table.Add(size, values);
  }
  table.Write("Fisher and Yates:");
}

TEST_CASE("every order of a few elements is equally frequent") {
  PValueTable table;
  for (const uint64_t size : {2U, 3U, 4U, 5U, 6U, 7U}) {
    const uint32_t rounds = Permutation::RoundsFor(size);
    const std::vector<PValue> values = {{"consecutive seeds", EveryOrderP(size, kOrders, SeedKey, rounds)},
                                        {"consecutive epochs", EveryOrderP(size, kOrders, EpochKey, rounds)},
                                        {"two rounds", EveryOrderP(size, kOrders, SeedKey, 2)}};
    CheckLikely(size, {values[0], values[1]});
    if (size > 3) CHECK(values[2].p < 1e-30);
    table.Add(size, values);
  }
  table.Write("Every order:");
}

TEST_CASE("if the number of records is an odd square, even and odd orders are equally frequent") {
  for (const uint64_t size : {9U, 25U, 49U, 121U, 961U}) {
    std::vector<uint64_t> order(size);
    Histogram odd(2, 2);
    for (uint64_t i = 0; i < 10'000; ++i) {
      Permutation(size, SeedKey(i)).Fill(0, 1, order);
      odd.Add(IsEven(order) ? 0 : 1);
    }
    CheckLikely(size, {{"odd orders", odd.P()}});
  }
}

TEST_CASE("the table of p-values for other numbers of rounds is written if requested") {
  if (TableFile() == nullptr) return;
  PValueTable every;
  for (const uint64_t size : {2U, 3U, 4U, 5U, 6U, 7U}) {
    std::vector<PValue> row;
    for (const uint32_t rounds : {2U, 4U, 6U, 8U, 12U, 16U, 24U})
      row.push_back({std::to_string(rounds) + " rounds", EveryOrderP(size, 10 * kOrders, SeedKey, rounds)});
    every.Add(size, row);
  }
  every.Write("Every order of a million seeds:");
  PValueTable least;
  for (const uint64_t size : {5U, 8U, 13U, 33U, 100U, 257U, 1000U, 1024U, 4097U, 65536U, 1'000'000U}) {
    std::vector<PValue> row;
    for (const uint32_t rounds : {2U, 4U, 6U, 8U, 12U, 16U, 24U}) {
      const auto values = JudgePermutation(size, EffortFor(size, 10 * kOrders, 50'000'000), SeedKey, rounds);
      row.push_back({std::to_string(rounds) + " rounds", LeastLikely(values)});
    }
    least.Add(size, row);
  }
  least.Write("The least likely of all statistics of a million seeds:");
}

}  // namespace
}  // namespace ofindex
