#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/threads.h"

namespace ofindex {

/// Lets threads that work on blocks in parallel hand in their results in the order of blocks.
class BlockTurns {
 public:
  /// Waits until the results of all blocks before `block` were handed in. Returns false if one of those blocks failed;
  /// then the result of `block` is not needed.
  [[nodiscard]] bool Wait(uint64_t block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == block || error_; });
    return !error_;
  }

  /// Ends the turn of the thread that waited.
  void Pass(Result<void> outcome) {
    {
      const std::lock_guard lock(mutex_);
      ++next_;
      if (!outcome) error_ = std::move(outcome).error();
    }
    changed_.notify_all();
  }

  [[nodiscard]] Result<void> outcome() {
    const std::lock_guard lock(mutex_);
    if (error_) return tl::unexpected<Error>(*error_);
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t next_ = 0;
  std::optional<Error> error_;
};

/// Calls `make(block)` for each of `blocks` blocks on up to `threads` threads, and `merge(value)` with each result, one
/// at a time and in block order, so that the outcome does not depend on the number of threads. Holds at most one value
/// per thread. `cancel` may be null. Errors: the error of the first block that failed; kInterrupted, kLimit.
template <typename Make, typename Merge>
[[nodiscard]] Result<void> MergeInOrder(unsigned threads, uint64_t blocks, const std::atomic<bool>* cancel, Make make,
                                        Merge merge) {
  std::atomic<uint64_t> taken{0};
  BlockTurns turns;
  RunOnThreads(threads < blocks ? threads : static_cast<unsigned>(blocks), [&](unsigned) {
    for (uint64_t block = taken++; block < blocks; block = taken++) {
      auto made = WithMemory("statistics", [&] { return make(block); });
      if (!turns.Wait(block)) return;
      turns.Pass(WithMemory("statistics", [&]() -> Result<void> {
        if (cancel != nullptr && *cancel) return Interrupted();
        if (!made) return tl::unexpected<Error>(std::move(made).error());
        return merge(std::move(*made));
      }));
    }
  });
  return turns.outcome();
}

}  // namespace ofindex
