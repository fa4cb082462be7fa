#include "query/sampling/orders/interleave.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "query/sampling/orders/sample_key.h"
#include "tests/query/sampling/chi_square.h"

namespace ofindex {
namespace {

const uint64_t kInterleaveKey = SampleKey(42, 0, SampleUse::kMixture);

Interleave InShares(const std::vector<double>& shares, uint64_t cycle = Interleave::kCycle) {
  auto interleave = Interleave::InShares(shares, kInterleaveKey, cycle);
  REQUIRE_MESSAGE(interleave.has_value(), interleave.error().message);
  return std::move(*interleave);
}

std::vector<uint64_t> SlotsOf(const Interleave& interleave) {
  std::vector<uint64_t> slots;
  for (uint32_t party = 0; party < interleave.parties(); ++party) slots.push_back(interleave.slots(party));
  return slots;
}

const std::vector<std::vector<uint64_t>> kSlots = {
    {1},
    {5},
    {0, 1},
    {1, 1},
    {1, 2, 3},
    {0, 7, 0, 0, 1, 0},
    {2, 2, 2, 2},
    {1, 1000, 1},
    std::vector<uint64_t>(1000, 1),
    {3000, 1, 1, 1, 1, 1, 1, 70'000, 1, 0, 0, 5},
};

TEST_CASE("every turn of every party has exactly one position") {
  for (const auto& slots : kSlots) {
    const Interleave interleave(slots, kInterleaveKey);
    CAPTURE(interleave.cycle());
    std::vector<uint64_t> turns(slots.size());
    std::vector<std::vector<bool>> turn(slots.size());
    for (uint32_t party = 0; party < slots.size(); ++party) turn[party].resize(3 * slots[party]);
    for (uint64_t position = 0; position < 3 * interleave.cycle(); ++position) {
      const auto [party, number] = interleave.At(position);
      REQUIRE(number < turn[party].size());
      REQUIRE(!turn[party][number]);
      REQUIRE(number / slots[party] == position / interleave.cycle());
      REQUIRE(interleave.PositionOf({party, number}) == position);
      turn[party][number] = true;
      ++turns[party];
    }
    for (size_t party = 0; party < slots.size(); ++party) CHECK(turns[party] == 3 * slots[party]);
  }
}

TEST_CASE("turns computed in batches equal those computed one by one, in any cycle and with any step") {
  for (const auto& slots : kSlots) {
    const Interleave interleave(slots, kInterleaveKey);
    for (const uint64_t first : {uint64_t{0}, uint64_t{999}, (uint64_t{1} << 62) + 1}) {
      for (const uint64_t step : {uint64_t{1}, uint64_t{3}, uint64_t{100'000}}) {
        std::vector<Turn> batch(50);
        interleave.Fill(first, step, batch);
        for (size_t i = 0; i < batch.size(); ++i) CHECK(batch[i] == interleave.At(first + i * step));
        for (const Turn& one : batch) CHECK(interleave.At(interleave.PositionOf(one)) == one);
      }
    }
  }
}

TEST_CASE("the shortest cycle with exact proportions is chosen, otherwise the longest with the nearest ones") {
  const struct {
    std::string what;
    std::vector<double> shares;
    uint64_t cycle;
    std::vector<uint64_t> slots;
  } cases[] = {
      {"one party", {3}, 10'000, {1}},
      {"halves", {0.5, 0.5}, 10'000, {1, 1}},
      {"tenths that are not exact in binary", {0.7, 0.2, 0.1}, 10'000, {7, 2, 1}},
      {"counts", {300, 100}, 10'000, {3, 1}},
      {"thirds", {1.0 / 3, 2.0 / 3}, 10'000, {1, 2}},
      {"thirds, written short", {0.333, 0.667}, 10'000, {333, 667}},
      {"a party without a share", {0, 0.25, 0.75}, 10'000, {0, 1, 3}},
      {"no cycle is short enough", {1, std::sqrt(2.0)}, 100, {41, 59}},
      {"the largest remainders get the remaining slots", {1.0, 1.0, 1.000001}, 10, {3, 3, 4}},
      {"among equal remainders, the first gets the slot", {1.000001, 1.000001, 1}, 10, {4, 3, 3}},
      {"a party with a tiny share gets a slot", {1, 1e-12}, 1000, {999, 1}},
      {"many parties with tiny shares get a slot each, and the cycle grows", {1, 1e-9, 1e-9, 1e-9}, 10, {9, 1, 1, 1}},
      {"more parties than slots", {1, 1, 1, 1}, 2, {1, 1, 1, 1}},
      {"subnormal shares next to others", {1, 5e-324}, 10, {9, 1}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    CHECK(SlotsOf(InShares(c.shares, c.cycle)) == c.slots);
  }
}

TEST_CASE("slots deviate from the proportions by less than one, and their sum is exact") {
  uint64_t state = 7;
  for (int i = 0; i < 200; ++i) {
    std::vector<uint64_t> weights(1 + Below(state = Mix64(state + 1), 50));
    for (uint64_t& weight : weights) weight = 1000 + Below(state = Mix64(state + 1), 1'000'000);
    const uint64_t cycle = 100'000 + Below(state = Mix64(state + 1), 1'000'000);
    const std::vector<uint64_t> slots = SlotsInProportion(weights, cycle);
    const auto total = static_cast<double>(std::accumulate(weights.begin(), weights.end(), uint64_t{0}));
    CHECK(std::accumulate(slots.begin(), slots.end(), uint64_t{0}) == cycle);
    for (size_t p = 0; p < slots.size(); ++p) {
      const double due = static_cast<double>(weights[p]) * static_cast<double>(cycle) / total;
      CHECK(std::abs(static_cast<double>(slots[p]) - due) < 1);
    }
  }
}

TEST_CASE("the largest weights and cycles do not overflow") {
  const uint64_t most = ~uint64_t{0};
  CHECK(SlotsInProportion(std::vector{most, most, most, most}, uint64_t{1} << 62) ==
        std::vector<uint64_t>(4, uint64_t{1} << 60));
  CHECK(SlotsInProportion(std::vector<uint64_t>{}, 10).empty());
}

TEST_CASE("invalid shares are errors") {
  const double infinity = std::numeric_limits<double>::infinity();
  const struct {
    std::vector<double> shares;
    std::string message;
  } cases[] = {
      {{}, "no share of 0 sources is above 0; expected one"},
      {{0, 0}, "no share of 2 sources is above 0; expected one"},
      {{1, -0.5}, "share 1: expected a number of 0 or more"},
      {{std::nan("")}, "share 0: expected a number of 0 or more"},
      {{1, infinity}, "share 1: expected a number of 0 or more"},
      {{1e308, 1e308}, "the shares of 2 sources are too large or too small to be added up"},
      {{5e-324, 5e-324}, "the shares of 2 sources are too large or too small to be added up"},
  };
  for (const auto& c : cases) {
    const auto interleave = Interleave::InShares(c.shares, kInterleaveKey);
    REQUIRE(!interleave.has_value());
    CHECK(interleave.error().code == ErrorCode::kUsage);
    CHECK(interleave.error().message == c.message);
  }
}

TEST_CASE("a party is equally likely to have any place in a cycle") {
  const Interleave interleave(std::vector<uint64_t>{3, 5, 2}, kInterleaveKey);
  std::vector<uint64_t> counts(30);
  std::vector<double> expected(30);
  for (uint64_t position = 0; position < 200'000; ++position)
    ++counts[position % 10 * 3 + interleave.At(position).party];
  for (size_t i = 0; i < 30; ++i) expected[i] = std::vector<double>{3, 5, 2}[i % 3];
  CHECK(ChiSquareDeviations(counts, expected) < 4);
}

TEST_CASE("a different key gives a different interleave, and AtUnder() computes it without a new object") {
  const std::vector<uint64_t> slots = {30, 50, 20};
  const Interleave interleave(slots, kInterleaveKey);
  const Interleave other(slots, kInterleaveKey + 1);
  uint64_t same = 0;
  for (uint64_t position = 0; position < 1000; ++position) {
    CHECK(interleave.AtUnder(kInterleaveKey + 1, position) == other.At(position));
    same += interleave.At(position) == other.At(position) ? 1U : 0U;
  }
  CHECK(same < 40);  // 10 are expected
}

TEST_CASE("an interleave never changes") {
  const auto turns = [](const Interleave& interleave, uint64_t first) {
    std::string shown;
    for (uint64_t i = 0; i < 20; ++i) {
      const auto [party, number] = interleave.At(first + i);
      shown += std::to_string(party) + ":" + std::to_string(number) + " ";
    }
    return shown;
  };
  CHECK(turns(InShares({0.7, 0.2, 0.1}), 0) ==
        "0:1 2:0 0:4 1:0 0:6 0:0 0:3 1:1 0:5 0:2 1:2 0:8 0:11 0:13 2:1 1:3 0:7 0:12 0:9 0:10 ");
  CHECK(turns(InShares({1, std::sqrt(2.0)}), 1'000'000'000'000) ==
        "1:585800005040 1:585800003706 0:414200002205 1:585800001371 1:585800004271 0:414200003902 1:585800001913 "
        "0:414200003369 1:585800004507 0:414200002838 1:585800005244 0:414200000867 0:414200000872 1:585800002172 "
        "1:585800002666 1:585800000854 1:585800000522 1:585800005795 1:585800004541 1:585800005849 ");
}

}  // namespace
}  // namespace ofindex
