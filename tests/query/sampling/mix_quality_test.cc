#include "query/sampling/mix_quality.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ofindex {
namespace {

constexpr uint64_t kClasses = 20;
constexpr uint64_t kOfEach = 1000;
constexpr uint64_t kBatch = 256;

// 20 classes of 1,000 records each, sorted by class.
ClassNumbers Sorted() {
  ClassNumbers numbers;
  numbers.classes = kClasses;
  for (uint32_t i = 0; i < kClasses * kOfEach; ++i) numbers.of.push_back(i / kOfEach);
  return numbers;
}

MixQuality Measured(const SamplingMethod& method, uint64_t seed, const ClassNumbers& numbers = Sorted()) {
  return *MeasureMix(method, seed, 0, numbers, kBatch, UINT64_MAX);
}

// Simulates a loader that fills a buffer, shuffles it, and empties it before it fills it again.
double PerBatchOfDrainedBuffer(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint32_t> order = Sorted().of;
  for (size_t begin = 0; begin < order.size(); begin += MixQuality::kBufferRecords) {
    const auto end = std::min<size_t>(begin + MixQuality::kBufferRecords, order.size());
    std::shuffle(order.data() + begin, order.data() + end, random);
  }
  double classes = 0;
  const uint64_t batches = order.size() / kBatch;
  for (uint64_t b = 0; b < batches; ++b) {
    classes +=
        static_cast<double>(std::set<uint32_t>(order.data() + b * kBatch, order.data() + (b + 1) * kBatch).size());
  }
  return classes / static_cast<double>(batches);
}

TEST_CASE(
    "a global shuffle mixes sorted data almost perfectly; shuffle buffers give two to six of 20 classes per batch") {
  double per_batch = 0;
  constexpr int kSeeds = 20;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const MixQuality quality = Measured(GlobalShuffle{}, seed);
    per_batch += quality.per_batch / kSeeds;
    CHECK(quality.per_batch_perfect == doctest::Approx(20 * (1 - std::pow(0.95, 256))).epsilon(1e-4));
    CHECK(quality.per_batch_buffer > 5.5);
    CHECK(quality.per_batch_buffer < 6.5);
    CHECK(PerBatchOfDrainedBuffer(seed) == doctest::Approx(2).epsilon(0.1));
    CHECK(std::abs(quality.neighbours) < 0.03);
    CHECK(quality.reads == kClasses * kOfEach);
    CHECK(quality.positions == kClasses * kOfEach);
  }
  MESSAGE("classes in a batch of 256: " << per_batch << ", perfect " << Measured(GlobalShuffle{}, 0).per_batch_perfect
                                        << ", sliding buffer " << Measured(GlobalShuffle{}, 0).per_batch_buffer
                                        << ", drained buffer " << PerBatchOfDrainedBuffer(0) << ", blocks of 16 "
                                        << Measured(BlockShape{.run = 16}, 0).per_batch);
  CHECK(per_batch == doctest::Approx(Measured(GlobalShuffle{}, 0).per_batch_perfect).epsilon(0.01));
}

TEST_CASE("a block order mixes as well if there are enough runs, and reads each run about once") {
  const MixQuality quality = Measured(BlockShape{.run = 16}, 1);
  CHECK(quality.per_batch > 0.99 * quality.per_batch_perfect);
  const uint64_t runs = kClasses * kOfEach / 16;
  CHECK(quality.reads >= runs);
  CHECK(static_cast<double>(quality.reads) <= 1.1 * static_cast<double>(runs));
  const MixQuality coarse = Measured(BlockShape{.run = 1000, .lanes = 1, .window = 1}, 1);
  CHECK(coarse.per_batch < 5);
  CHECK(coarse.neighbours > 0.3);
}

TEST_CASE("eight ranks in block order together read each run about once") {
  const BlockShape shape{.run = 16};
  const BlockOrder order(kClasses * kOfEach, shape, 3);
  uint64_t bytes = 0;
  for (uint64_t rank = 0; rank < 8; ++rank) {
    std::vector<uint64_t> read((order.size() - rank + 7) / 8);
    order.Fill(rank, 8, read);
    // A rank can hold the runs of one window of each of its lanes; a run needed later is read again.
    std::vector<std::pair<uint64_t, uint64_t>> room;  // run, when it was used last
    for (uint64_t i = 0; i < read.size(); ++i) {
      const uint64_t run = order.RunOf(read[i]);
      bool there = false;
      for (auto& [kept, used] : room) {
        if (kept == run) used = i, there = true;
      }
      if (there) continue;
      bytes += shape.run;
      if (room.size() == shape.lanes / 8 * (shape.window + 1)) {
        std::erase(room, *std::min_element(room.begin(), room.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; }));
      }
      room.emplace_back(run, i);
    }
  }
  CHECK(static_cast<double>(bytes) <= 1.1 * static_cast<double>(order.size()));
}

TEST_CASE("records without a class do not count as a class") {
  ClassNumbers numbers;
  numbers.classes = 2;
  for (uint32_t i = 0; i < 3000; ++i) numbers.of.push_back(i % 3 == 2 ? ClassNumbers::kNoClass : i % 3);
  const MixQuality quality = Measured(GlobalShuffle{}, 1, numbers);
  CHECK(quality.per_batch == doctest::Approx(2));
  CHECK(std::abs(quality.neighbours) < 0.1);
  const MixQuality none = *MeasureMix(BlockShape{.run = 3000, .lanes = 1, .window = 1}, 1, 0, numbers, kBatch, 0);
  CHECK(none.positions == 0);
  CHECK(none.per_batch == 0);
}

TEST_CASE("the perfect mix does not expect classes that have no record in the view") {
  ClassNumbers numbers = Sorted();
  numbers.of.resize(3 * kOfEach);
  CHECK(Measured(GlobalShuffle{}, 1, numbers).classes == 3);
  const auto one = MeasureMix(GlobalShuffle{}, 1, 0, numbers, kBatch, 1);
  REQUIRE(one);
  CHECK(one->per_batch == 1);
  CHECK(one->per_batch_perfect == doctest::Approx(1));
  CHECK(one->neighbours == 0);
}

TEST_CASE("measuring can be cancelled") {
  const std::atomic<bool> cancel = true;
  const auto measured = MeasureMix(GlobalShuffle{}, 1, 0, Sorted(), kBatch, UINT64_MAX, &cancel);
  REQUIRE_FALSE(measured);
  CHECK(measured.error().code == ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace ofindex
