#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/inflate/span_inflater.h"

namespace ofindex {

/// The inflated bytes between two checkpoints, or a part of them if the checkpoints are far apart. Inflated only as far
/// as requested; later requests continue where the last one ended. Thread-safe.
class Span {
 public:
  /// The location of a span, and how to inflate it.
  struct Source {
    const File& file;
    uint64_t file_bytes;
    Compression compression;
    Checkpoint checkpoint;  ///< the checkpoint before it
    bool continues;         ///< another span continues where this one ends
  };

  Span(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}

  /// What to do if another thread is inflating the span.
  enum class IfBusy { kWait, kLeave };

  /// Inflates at least to `position`, which is inside the span. Returns false if another thread is inflating the span
  /// and `if_busy` is kLeave. Errors: kIo, kLimit; kStale if the file does not inflate to `position`; kIndex if the
  /// checkpoint is damaged.
  [[nodiscard]] Result<bool> InflateTo(uint64_t position, const Source& source, IfBusy if_busy);

  /// Returns the bytes from begin() to inflated_end(). Valid while the span lives.
  [[nodiscard]] const uint8_t* bytes() const { return bytes_.get(); }
  [[nodiscard]] uint64_t begin() const { return begin_; }
  [[nodiscard]] uint64_t end() const { return end_; }

  /// Returns the position up to which the span is inflated.
  [[nodiscard]] uint64_t inflated_end() const { return begin_ + inflated_.load(std::memory_order_acquire); }

  /// Passes this span's inflater, if there is one, to `next`, the span that begins where this one ends.
  void TransferInflater(Span& next);

 private:
  [[nodiscard]] Result<void> Begin(const Source& source);
  [[nodiscard]] Result<void> Continue(uint64_t wanted, const Source& source);

  const uint64_t begin_;
  const uint64_t end_;
  std::atomic<uint64_t> inflated_{0};  // bytes inflated so far
  std::mutex mutex_;                   // guards the fields below
  std::unique_ptr<uint8_t[]> bytes_;
  std::unique_ptr<SpanInflater> inflater_;  // positioned at begin_ + inflated_; null before, after, and if one failed
};

/// The most recently used spans, up to a limit in bytes that includes their overhead, for all shards and
/// threads of a reader. Thread-safe. A child process starts with an empty cache, since threads of the
/// parent may have held its locks.
class SpanCache {
 public:
  explicit SpanCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}
  ~SpanCache();
  SpanCache(const SpanCache&) = delete;
  SpanCache& operator=(const SpanCache&) = delete;

  /// Overhead of a span while it is being inflated.
  static constexpr uint64_t kOverheadBytes = uint64_t{256} << 10;

  /// The key of a span: its shard, the state of the shard's file in which it was inflated, and its first byte.
  struct Key {
    uint64_t shard;
    uint64_t state;
    uint64_t begin;
    friend bool operator==(const Key&, const Key&) = default;
  };

  /// Returns the span of `key`, which ends at `end`; creates it if it is not cached.
  [[nodiscard]] std::shared_ptr<Span> Get(const Key& key, uint64_t end);

  /// As Get, but returns null if the span is not cached.
  [[nodiscard]] std::shared_ptr<Span> Find(const Key& key);

  [[nodiscard]] uint64_t max_bytes() const { return max_bytes_; }

 private:
  struct State;

  [[nodiscard]] State& Here();

  const uint64_t max_bytes_;
  std::atomic<State*> state_{nullptr};
};

}  // namespace ofindex
