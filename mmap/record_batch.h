#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "mmap/batch_plan.h"

namespace ofindex {

/// The payloads of many records, one after the other in one buffer. Designed for reuse: the buffer only grows. Movable,
/// not copyable; not thread-safe.
class RecordBatch {
 public:
  [[nodiscard]] size_t size() const { return ends_.size(); }

  /// Returns payload `i`, which is less than size(). Valid until the batch is refilled.
  [[nodiscard]] ByteView operator[](size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {buffer_.get() + begin, ends_[i] - begin};
  }

  /// All payloads, without gaps, and the end offset of each.
  [[nodiscard]] ByteView bytes() const { return {buffer_.get(), ends_.empty() ? 0 : ends_.back()}; }
  [[nodiscard]] const std::vector<uint64_t>& ends() const { return ends_; }

 private:
  friend class RecordReader;

  // Makes room for the payloads whose ends are in ends_; discards the buffer's content.
  void Allocate() {
    const uint64_t bytes = ends_.empty() ? 0 : ends_.back();
    if (bytes <= capacity_) return;
    buffer_ = std::make_unique_for_overwrite<uint8_t[]>(bytes);
    capacity_ = bytes;
  }

  // Returns the whole capacity of the buffer.
  [[nodiscard]] std::span<uint8_t> room() const { return {buffer_.get(), capacity_}; }

  std::unique_ptr<uint8_t[]> buffer_;
  uint64_t capacity_ = 0;
  std::vector<uint64_t> ends_;
  // Kept between batches, so that filling one allocates nothing.
  std::vector<uint64_t> shards_read_;  // one bit per shard
  BatchPlan plan_;
};

}  // namespace ofindex
