#include "query/sampling/length_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

constexpr uint64_t kShuffledRecords = 3000;

uint64_t LengthOf(uint64_t ordinal) { return ordinal % 97 == 0 ? 5000 : 1 + Mix64(ordinal) % 200; }

Result<void> Lengths(std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) {
  for (size_t i = 0; i < ordinals.size(); ++i) lengths[i] = LengthOf(ordinals[i]);
  return {};
}

Sampler At(uint64_t position) {
  auto sampler = Sampler::Of({}, View::Range(0, kShuffledRecords), GlobalShuffle{}, 11);
  REQUIRE(sampler);
  sampler->SeekTo(position);
  return *sampler;
}

LengthBatches Batches(const BatchLimits& limits, const Slice& slice, Tail tail, uint64_t position = 0) {
  auto batches = LengthBatches::Of(At(position), Lengths, limits, slice, tail);
  REQUIRE(batches);
  return *batches;
}

using Batch = std::vector<uint64_t>;

std::vector<Batch> AllBatches(LengthBatches batches) {
  std::vector<Batch> all;
  Batch batch;
  for (;;) {
    const auto more = batches.Next(batch);
    REQUIRE(more);
    if (!*more) return all;
    all.push_back(batch);
  }
}

/// Returns the batches within the limits, cut record by record from the whole order.
std::vector<Batch> Greedy(const BatchLimits& limits, uint64_t position) {
  Batch order(kShuffledRecords - position);
  Sampler sampler = At(position);
  REQUIRE(sampler.Next(order) == order.size());
  std::vector<Batch> batches;
  uint64_t sum = 0;
  uint64_t longest = 0;
  for (const uint64_t ordinal : order) {
    const uint64_t length = LengthOf(ordinal);
    const uint64_t records = batches.empty() ? 0 : batches.back().size() + 1;
    const uint64_t cost = limits.padded ? std::max(longest, length) * records : sum + length;
    if (batches.empty() || cost > limits.total || records > limits.records) {
      batches.push_back({});
      sum = longest = 0;
    }
    batches.back().push_back(ordinal);
    sum += length;
    longest = std::max(longest, length);
  }
  return batches;
}

const std::vector<BatchLimits> kLimits = {{.total = 1000},
                                          {.total = 1},
                                          {.total = 1'000'000'000},
                                          {.total = 2000, .records = 7},
                                          {.total = 2000, .padded = true}};

TEST_CASE("batches follow the order of the epoch, and end where the next record does not fit") {
  for (const BatchLimits& limits : kLimits) {
    CHECK(AllBatches(Batches(limits, {}, Tail::kExact)) == Greedy(limits, 0));
    CHECK(AllBatches(Batches(limits, {}, Tail::kExact, 1234)) == Greedy(limits, 1234));
  }
}

TEST_CASE("ranks and workers share the batches of one epoch, with an exact, padded or dropped tail") {
  for (const BatchLimits& limits : kLimits) {
    const std::vector<Batch> whole = Greedy(limits, 0);
    for (const uint64_t world : std::initializer_list<uint64_t>{1, 2, 3, 7}) {
      for (const Tail tail : {Tail::kExact, Tail::kPad, Tail::kDrop}) {
        const uint64_t last = whole.size() / world;
        const uint64_t ragged = whole.size() % world;
        for (uint64_t rank = 0; rank < world; ++rank) {
          std::vector<Batch> expected;
          for (uint64_t k = rank; k < last * world; k += world) expected.push_back(whole[k]);
          const bool has = rank < ragged;
          if (has && tail != Tail::kDrop) expected.push_back(whole[last * world + rank]);
          if (!has && ragged != 0 && tail == Tail::kPad) {
            expected.push_back(whole[std::min<uint64_t>(rank - ragged, whole.size() - 1)]);
          }
          CHECK(AllBatches(Batches(limits, {rank, world}, tail)) == expected);
          std::vector<Batch> of_workers(expected.size());
          for (uint64_t worker = 0; worker < 3; ++worker) {
            const std::vector<Batch> some = AllBatches(Batches(limits, {rank, world, worker, 3}, tail));
            for (size_t i = 0; i < some.size(); ++i) of_workers.at(worker + 3 * i) = some[i];
          }
          CHECK(of_workers == expected);
        }
      }
    }
  }
}

TEST_CASE("the rest of an epoch can be read with another world size, and each record is read once") {
  const BatchLimits limits{.total = 1500};
  std::vector<uint64_t> read;
  uint64_t position = 0;
  for (const uint64_t world : std::initializer_list<uint64_t>{3, 8, 1}) {
    uint64_t end = position;
    for (uint64_t rank = 0; rank < world; ++rank) {
      LengthBatches batches = Batches(limits, {rank, world}, Tail::kExact, position);
      Batch batch;
      for (int step = 0; step < (world == 1 ? 1'000'000 : 9); ++step) {
        const auto more = batches.Next(batch);
        REQUIRE(more);
        if (!*more) break;
        read.insert(read.end(), batch.begin(), batch.end());
      }
      end = batches.position();
    }
    position = end;
  }
  CHECK(position == kShuffledRecords);
  std::sort(read.begin(), read.end());
  bool whole = read.size() == kShuffledRecords;
  for (uint64_t i = 0; whole && i < kShuffledRecords; ++i) whole = read[i] == i;
  CHECK(whole);
}

TEST_CASE("limits that would exclude every record are refused, and an error while reading lengths is returned") {
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 0}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 1, .records = 0}));
  CHECK_FALSE(LengthBatches::Of(At(0), Lengths, {.total = 1}, {2, 2}));
  const auto failing = [](std::span<const uint64_t>, std::span<uint64_t>) -> Result<void> {
    return Fail(ErrorCode::kIndex, "no lengths");
  };
  auto batches = LengthBatches::Of(At(0), failing, {.total = 10});
  REQUIRE(batches);
  Batch batch;
  CHECK(batches->Next(batch).error().code == ErrorCode::kIndex);
}

}  // namespace
}  // namespace ofindex
