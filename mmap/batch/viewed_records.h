#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// Payloads that were inflated from compressed shards; callers hold views of them. Kept for the life of this object, up
/// to a limit in bytes that includes their overhead. Thread-safe without locks, and usable after fork.
class ViewedRecords {
 public:
  ViewedRecords(uint64_t max_bytes, size_t buckets) : max_bytes_(max_bytes), buckets_(buckets) {}
  ~ViewedRecords() {
    for (std::atomic<Viewed*>& first : buckets_) {
      for (const Viewed* viewed = first.load(std::memory_order_acquire); viewed != nullptr;) {
        delete std::exchange(viewed, viewed->next);
      }
    }
  }
  ViewedRecords(const ViewedRecords&) = delete;
  ViewedRecords& operator=(const ViewedRecords&) = delete;

  [[nodiscard]] std::optional<ByteView> Find(uint64_t ordinal) const {
    for (const Viewed* viewed = BucketOf(ordinal).load(std::memory_order_acquire); viewed != nullptr;
         viewed = viewed->next) {
      if (viewed->ordinal == ordinal) return ByteView(viewed->bytes.get(), viewed->length);
    }
    return std::nullopt;
  }

  /// Keeps a payload and returns a view of it, or nullopt if the total would exceed the limit. If two threads keep the
  /// same payload, each keeps its own copy.
  [[nodiscard]] std::optional<ByteView> Keep(uint64_t ordinal, std::unique_ptr<uint8_t[]> bytes, uint64_t length) {
    std::atomic<Viewed*>& first = BucketOf(ordinal);
    auto owned = std::make_unique<Viewed>(ordinal, length, std::move(bytes), first.load(std::memory_order_acquire));
    const uint64_t takes = length + kOverheadBytes;
    if (bytes_.fetch_add(takes, std::memory_order_relaxed) + takes > max_bytes_) {
      bytes_.fetch_sub(takes, std::memory_order_relaxed);
      return std::nullopt;
    }
    Viewed* const viewed = owned.release();
    while (!first.compare_exchange_weak(viewed->next, viewed, std::memory_order_acq_rel)) {
    }
    return ByteView(viewed->bytes.get(), length);
  }

 private:
  // Overhead of two allocations.
  static constexpr uint64_t kOverheadBytes = 96;

  struct Viewed {
    Viewed(uint64_t of, uint64_t size, std::unique_ptr<uint8_t[]> payload, Viewed* behind)
        : ordinal(of), length(size), bytes(std::move(payload)), next(behind) {}

    uint64_t ordinal;
    uint64_t length;
    std::unique_ptr<uint8_t[]> bytes;
    Viewed* next;
  };

  [[nodiscard]] std::atomic<Viewed*>& BucketOf(uint64_t ordinal) const { return buckets_[ordinal % buckets_.size()]; }

  const uint64_t max_bytes_;
  std::atomic<uint64_t> bytes_{0};
  mutable std::vector<std::atomic<Viewed*>> buckets_;
};

}  // namespace ofindex
