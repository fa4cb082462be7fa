#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// A hash of all facts, never 0.
[[nodiscard]] uint64_t HashOf(const FileFacts& facts);

/// True if the file changed so recently that another change may leave its times as they are (kernels before 6.13 tick
/// every 1 to 10 ms).
[[nodiscard]] bool ChangedJustNow(const FileFacts& facts);

/// The same, after a wait for the end of the tick. Where the file's clock is ahead there is no wait, and it stays true.
bool WaitForNextTick(const FileFacts& facts);

/// The system's coarse clock, in nanoseconds: the times of files are no finer.
[[nodiscard]] int64_t CoarseTick();

/// A file that is held open, and the state in which its bytes were last found sound: a hash of its facts. Thread-safe
/// without locks; usable after fork.
///
/// Whoever reads the file loads state(), reads, and believes what was read if Unchanged() says so. If not, Consistent()
/// finds out whether the bytes are still sound: a file may be touched, linked or renamed over without a change of its
/// bytes.
class FileWatch {
 public:
  explicit FileWatch(File file) : file_(std::move(file)), memory_(std::make_unique<Memory>()) {}

  [[nodiscard]] const File& file() const { return file_; }

  /// 0 until the bytes were found sound for the first time.
  [[nodiscard]] uint64_t state() const { return memory_->trusted.load(std::memory_order_acquire); }

  /// True if the file has not changed since `state` was its state. One system call.
  [[nodiscard]] bool Unchanged(uint64_t state) const;

  /// The same, asked of the system once a tick; `tick` is CoarseTick().
  [[nodiscard]] bool UnchangedThisTick(uint64_t state, int64_t tick) const {
    const bool asked = memory_->unchanged_at.load(std::memory_order_relaxed) == tick;
    return asked ? state == memory_->trusted.load(std::memory_order_acquire) && state != 0 : AskThisTick(state, tick);
  }

  /// What `read` returns, read while the file did not change and its bytes were sound: `check`, which looks them
  /// through, is called unless that is known. Both return a Result. Errors: those of both; kStale  the file changes
  /// all the time.
  template <typename Check, typename Read>
  [[nodiscard]] auto Consistent(Check&& check, Read&& read) const -> decltype(read()) {
    if (const uint64_t known = state(); known != 0) {
      auto outcome = read();
      if (Unchanged(known)) return outcome;
    }
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      OFINDEX_ASSIGN(const FileFacts facts, file_.Facts());
      OFINDEX_TRY(check());
      // A change in this tick might not show in the times: then the bytes are looked through once more, afterwards.
      const bool just_now = ChangedJustNow(facts);
      if (!just_now && !Trust(facts)) continue;
      auto outcome = read();
      if (just_now) OFINDEX_TRY(check());
      OFINDEX_ASSIGN(const FileFacts after, file_.Facts());
      if (after == facts) return outcome;
    }
    return Changing();
  }

 private:
  static constexpr int kAttempts = 4;

  struct Memory {
    std::atomic<uint64_t> trusted{0};
    std::atomic<int64_t> unchanged_at{0};  // the tick in which that was asked last
  };

  [[nodiscard]] bool AskThisTick(uint64_t state, int64_t tick) const;
  [[nodiscard]] bool Trust(const FileFacts& facts) const;
  [[nodiscard]] tl::unexpected<Error> Changing() const;

  File file_;
  std::unique_ptr<Memory> memory_;  // stays where it is when the watch moves
};

}  // namespace ofindex
