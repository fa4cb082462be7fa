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

/// Inflated bytes between two checkpoints, or a piece of them where checkpoints lie far apart. Inflated as far as
/// somebody has asked for; the rest goes on from there. Thread-safe.
class Span {
 public:
  /// Where a span is found, and how it is come by.
  struct Source {
    const File& file;
    uint64_t file_bytes;
    Compression compression;
    Checkpoint checkpoint;  ///< before it
    bool goes_on;           ///< another piece begins where the span ends
  };

  Span(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}

  /// What to do where another thread inflates the span just now.
  enum class IfBusy { kWait, kLeave };

  /// Inflates at least to `position`, in the span. False if another thread was at it, and it was left. Errors: kIo,
  /// kLimit; kStale  the file does not inflate to it; kIndex  the checkpoint is damaged.
  [[nodiscard]] Result<bool> InflateTo(uint64_t position, const Source& source, IfBusy if_busy);

  /// The bytes from begin() to where it was inflated to. Valid while the span lives.
  [[nodiscard]] const uint8_t* bytes() const { return bytes_.get(); }
  [[nodiscard]] uint64_t begin() const { return begin_; }
  [[nodiscard]] uint64_t end() const { return end_; }

  /// How far it is inflated.
  [[nodiscard]] uint64_t inflated_end() const { return begin_ + inflated_.load(std::memory_order_acquire); }

  /// Lets `next`, the piece that begins where this one ends, go on with this one's inflater, if it is there.
  void HandOver(Span& next);

 private:
  [[nodiscard]] Result<void> Begin(const Source& source);
  [[nodiscard]] Result<void> GoOn(uint64_t wanted, const Source& source);

  const uint64_t begin_;
  const uint64_t end_;
  std::atomic<uint64_t> inflated_{0};  // bytes that are there
  std::mutex mutex_;                   // of what follows
  std::unique_ptr<uint8_t[]> bytes_;
  std::unique_ptr<SpanInflater> inflater_;  // stands at begin_ + inflated_; null before, after and where one failed
};

/// The spans that were used last, up to a number of bytes with what they take beside, for all shards and threads of a
/// reader. Thread-safe. A child process begins with an empty one, since threads of the parent may have held its locks.
class SpanCache {
 public:
  explicit SpanCache(uint64_t most_bytes) : most_bytes_(most_bytes) {}
  ~SpanCache();
  SpanCache(const SpanCache&) = delete;
  SpanCache& operator=(const SpanCache&) = delete;

  /// What a span takes beside its bytes, while it is inflated.
  static constexpr uint64_t kOverheadBytes = uint64_t{256} << 10;

  /// What names a span: its shard, the state of the shard's file that it was inflated in, and where it begins.
  struct Key {
    uint64_t shard;
    uint64_t state;
    uint64_t begin;
    friend bool operator==(const Key&, const Key&) = default;
  };

  /// The span of `key`, which ends at `end`; a new one where it is not there. It stays while somebody holds it.
  [[nodiscard]] std::shared_ptr<Span> Get(const Key& key, uint64_t end);

  /// The same, and null where it is not there.
  [[nodiscard]] std::shared_ptr<Span> Find(const Key& key);

  [[nodiscard]] uint64_t most_bytes() const { return most_bytes_; }

 private:
  struct State;

  [[nodiscard]] State& Here();

  const uint64_t most_bytes_;
  std::atomic<State*> state_{nullptr};
};

}  // namespace ofindex
