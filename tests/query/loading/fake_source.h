#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "query/decoding/payload_source.h"
#include "query/loading/batch_loader.h"
#include "tests/query/decoding/decoding.h"

namespace ofindex {

/// Records of one number, `x`, which is their ordinal; some are wrong, and fetching may take a while.
class FakeSource : public PayloadSource {
 public:
  explicit FakeSource(uint64_t records, std::chrono::microseconds max_delay = {})
      : max_delay_(max_delay), records_(PayloadKind::kExample, Numbered(records)) {}

  [[nodiscard]] Result<void> Fetch(std::span<const uint64_t> ordinals, FetchedPayloads& out) const override {
    const uint64_t fetch = fetches_++;
    if (max_delay_.count() != 0) std::this_thread::sleep_for(max_delay_ * static_cast<int>(fetch * 7 % 5) / 4);
    return records_.source().Fetch(ordinals, out);
  }
  [[nodiscard]] Error Explain(uint64_t ordinal, Error error) const override {
    return records_.source().Explain(ordinal, std::move(error));
  }

  [[nodiscard]] uint64_t fetches() const { return fetches_; }

 private:
  static std::vector<std::string> Numbered(uint64_t records) {
    std::vector<std::string> payloads;
    for (uint64_t i = 0; i < records; ++i) payloads.push_back(Example(Ints("x", {static_cast<int64_t>(i)})));
    return payloads;
  }

  std::chrono::microseconds max_delay_;
  Payloads records_;
  mutable std::atomic<uint64_t> fetches_{0};
};

/// Yields [0, end) in order, and counts how many it yielded. Copies share the count.
class CountingOrder {
 public:
  explicit CountingOrder(uint64_t end) : end_(end), given_(std::make_shared<std::atomic<uint64_t>>(0)) {}

  OrderStep operator()(std::span<uint64_t> out) const {
    OrderStep step;
    uint64_t next = *given_;
    while (step.count < out.size() && next < end_) out[step.count++] = next++;
    *given_ = step.position = next;
    return step;
  }

  [[nodiscard]] uint64_t given() const { return *given_; }

 private:
  uint64_t end_;
  std::shared_ptr<std::atomic<uint64_t>> given_;
};

inline std::shared_ptr<const BatchDecoder> NumberDecoder() {
  return std::make_shared<const BatchDecoder>(DecoderOf({{.name = "x"}}));
}

inline constexpr std::chrono::milliseconds kPatient{20'000};

template <typename Order>
std::unique_ptr<BatchLoader> Started(std::shared_ptr<const PayloadSource> source, Order order,
                                     BatchLoader::Options options) {
  auto loader = BatchLoader::Start(std::move(source), NumberDecoder(), std::move(order), options);
  REQUIRE_MESSAGE(loader.has_value(), loader.error().message);
  return std::move(*loader);
}

/// Takes all batches, and checks that they are records 0, 1, ..., `records` - 1 in order.
inline void CheckAll(BatchLoader& loader, uint64_t records, uint64_t batch_size) {
  uint64_t next = 0;
  BatchLoader::Loaded loaded;
  while (true) {
    const auto outcome = loader.Next(kPatient, loaded);
    REQUIRE_MESSAGE(outcome.has_value(), outcome.error().message);
    if (*outcome == BatchLoader::Outcome::kEnd) break;
    REQUIRE(*outcome == BatchLoader::Outcome::kBatch);
    CHECK(loaded.ordinals.size() == std::min(batch_size, records - next));
    CHECK(loaded.batch.records == loaded.ordinals.size());
    for (size_t i = 0; i < loaded.ordinals.size(); ++i) {
      CHECK(loaded.ordinals[i] == next);
      CHECK(loaded.batch.arrays[0].values.As<uint64_t>()[i] == next++);
    }
    CHECK(loaded.position == next);
  }
  CHECK(next == records);
  CHECK(*loader.Next(kPatient, loaded) == BatchLoader::Outcome::kEnd);
}

}  // namespace ofindex
