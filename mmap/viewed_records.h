#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/bytes.h"

namespace ofindex {

/// The payloads of compressed shards that somebody has a view of: kept as long as this. Thread-safe without locks, and
/// usable after fork.
class ViewedRecords {
 public:
  explicit ViewedRecords(uint64_t most_bytes) : most_bytes_(most_bytes) {}
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

  /// Keeps a payload; nothing where all would take too much. Two threads may keep the same one, each its own.
  [[nodiscard]] std::optional<ByteView> Keep(uint64_t ordinal, std::unique_ptr<uint8_t[]> bytes, uint64_t length) {
    if (bytes_.fetch_add(length, std::memory_order_relaxed) + length > most_bytes_) {
      bytes_.fetch_sub(length, std::memory_order_relaxed);
      return std::nullopt;
    }
    std::atomic<Viewed*>& first = BucketOf(ordinal);
    auto* const viewed = new Viewed{ordinal, length, std::move(bytes), first.load(std::memory_order_acquire)};
    while (!first.compare_exchange_weak(viewed->next, viewed, std::memory_order_acq_rel)) {
    }
    return ByteView(viewed->bytes.get(), length);
  }

 private:
  struct Viewed {
    uint64_t ordinal;
    uint64_t length;
    std::unique_ptr<uint8_t[]> bytes;
    Viewed* next;
  };

  [[nodiscard]] std::atomic<Viewed*>& BucketOf(uint64_t ordinal) const { return buckets_[ordinal % buckets_.size()]; }

  const uint64_t most_bytes_;
  std::atomic<uint64_t> bytes_{0};
  mutable std::array<std::atomic<Viewed*>, 1024> buckets_{};
};

}  // namespace ofindex
