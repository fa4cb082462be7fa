#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// Returns a hash of all facts, never 0.
[[nodiscard]] uint64_t HashOf(const FileFacts& facts);

/// Returns true if the file changed so recently that another change might not alter its times (kernels
/// before 6.13 tick every 1 to 10 ms).
[[nodiscard]] bool ChangedJustNow(const FileFacts& facts);

/// Returns ChangedJustNow(facts). If true, first waits until the tick ends, unless the clock that set the file's times
/// is ahead of this machine's.
bool WaitForNextTick(const FileFacts& facts);

/// Returns the system's coarse clock in nanoseconds; file times are no finer than this.
[[nodiscard]] int64_t CoarseTick();

/// An open file and the state in which its bytes were last verified, as a hash of its facts. Thread-safe
/// without locks; usable after fork.
///
/// A reader loads state(), reads, and trusts the result if Unchanged() returns true. If not, Consistent() determines
/// whether the bytes are still sound: a file may be touched, linked or renamed over without a change to its bytes.
class FileWatch {
 public:
  explicit FileWatch(File file) : file_(std::move(file)), trusted_(std::make_unique<std::atomic<uint64_t>>(0)) {}

  [[nodiscard]] const File& file() const { return file_; }

  /// Returns the state in which the bytes were last verified, 0 if they never were.
  [[nodiscard]] uint64_t state() const { return trusted_->load(std::memory_order_acquire); }

  /// Returns true if the file is still in state `state`. One system call.
  [[nodiscard]] bool Unchanged(uint64_t state) const;

  /// Returns the result of a call of `read` during which the bytes were sound and the file did not change. Unless the
  /// bytes are known to be sound, calls `check` to verify them. Retries if the file changes. `check` and `read` return
  /// a Result.
  /// Errors: those of `check` and `read`; kStale if the file keeps changing.
  template <typename Check, typename Read>
  [[nodiscard]] auto Consistent(Check&& check, Read&& read) const -> decltype(read()) {
    if (const uint64_t known = state(); known != 0) {
      auto outcome = read();
      if (Unchanged(known)) return outcome;
    }
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      OFINDEX_ASSIGN(const FileFacts facts, file_.Facts());
      OFINDEX_TRY(check());
      // A change in this tick might not show in the times, so the bytes are checked once more afterwards.
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

  [[nodiscard]] bool Trust(const FileFacts& facts) const;
  [[nodiscard]] tl::unexpected<Error> Changing() const;

  File file_;
  std::unique_ptr<std::atomic<uint64_t>> trusted_;  // heap-allocated, so its address survives a move of the watch
};

}  // namespace ofindex
