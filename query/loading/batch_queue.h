#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "query/decoding/decoded_batch.h"

namespace ofindex {

/// A batch that was decoded ahead.
struct LoadedBatch {
  DecodedBatch batch = {};
  std::vector<uint64_t> ordinals = {};  ///< of its records
  uint64_t position = 0;                ///< of the epoch, after this batch
};

enum class LoadOutcome {
  kBatch,   ///< a batch was returned
  kEnd,     ///< all batches were returned, or an error was
  kNotYet,  ///< the next batch was not ready in time; nothing is lost
};

/// The batches of one epoch, between the threads that decode them in any order and the one thread that takes them in
/// order: numbered from 0, at most `depth` of them ready or in progress.
///
/// Waking a thread takes as long as decoding a small batch, so the queue wakes as few as possible. While batches arrive
/// quickly, a taker that finds none ready naps a few times before it waits to be woken. With an automatic depth, the
/// thread that waits for room is woken when half of it is free.
class BatchQueue {
 public:
  /// With a depth of 0, as many batches are read ahead as fit in kAutomaticBytes, at least kLeastAutomatic, and at most
  /// 16 or, if that is more, 4 beyond the threads.
  BatchQueue(size_t depth, size_t threads);
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  static constexpr uint64_t kAutomaticBytes = uint64_t{256} << 20;
  static constexpr size_t kLeastAutomatic = 4;

  /// Waits until batch `number` may be begun; called by one thread at a time. Returns false if it should not be: the
  /// queue has stopped or ended.
  [[nodiscard]] bool WaitForRoom(uint64_t number);

  /// Puts a batch for which there was room, or the error in its place, which ends the queue.
  void Put(uint64_t number, Result<LoadedBatch> outcome);

  /// There are only `batches` batches, or fewer.
  void EndAt(uint64_t batches);

  /// Ends all waiting for room.
  void Stop();
  [[nodiscard]] const std::atomic<bool>& stopped() const { return stopped_; }

  /// Sets `out` to the next batch, waiting for at most `patience`, and naps of half a millisecond in all. Errors: those
  /// put, each once.
  [[nodiscard]] Result<LoadOutcome> Take(std::chrono::milliseconds patience, LoadedBatch& out);

  /// Number of batches that may be ready or in progress now.
  [[nodiscard]] size_t depth() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kNever = ~uint64_t{0};

  [[nodiscard]] bool HasNext() const { return ring_[taken_ % ring_.size()].has_value() || taken_ >= end_; }
  [[nodiscard]] bool WakesForRoom() const;
  void NoteArrival();
  [[nodiscard]] bool Measure(const LoadedBatch& loaded);
  void Nap(std::unique_lock<std::mutex>& lock) const;

  const bool automatic_;
  std::atomic<bool> stopped_{false};

  mutable std::mutex mutex_;
  std::condition_variable room_;   // a batch was taken, the depth grew, or nothing more is to be begun
  std::condition_variable ready_;  // a batch was put, or the end became known
  std::vector<std::optional<Result<LoadedBatch>>> ring_;
  size_t depth_;
  uint64_t greatest_bytes_ = 0;  // of a batch so far
  uint64_t taken_ = 0;           // batches
  uint64_t end_ = kNever;        // number of batches
  uint64_t wanted_ = kNever;     // the batch that waits for room
  bool taker_waits_ = false;
  Clock::time_point last_arrival_ = Clock::now();
  Clock::duration interval_ = std::chrono::seconds(1);  // between arrivals, a moving average
};

}  // namespace ofindex
