#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "base/allocation.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/threads.h"

namespace ofindex {

/// Does pieces 0 to `count` - 1 of a job on up to `threads` threads. Each thread has a worker, which `make()` returns:
/// `Do(piece)` is called for some pieces, in ascending order, and then `Finish()`, by one worker at a time. The first
/// error ends the job. `what` needs the memory, in messages. Errors: those of the workers; kInterrupted, kLimit.
template <typename Make>
[[nodiscard]] Result<void> ShareWork(size_t count, unsigned threads, const Progress& progress, const char* what,
                                     const Make& make) {
  std::atomic<size_t> next{0};
  std::mutex mutex;  // guards the following, and Finish()
  std::optional<Error> error;
  RunOnThreads(threads, [&](unsigned) {
    const Result<void> done = WithMemory(what, [&]() -> Result<void> {
      auto worker = make();
      for (size_t piece = next++; piece < count; piece = next++) {
        if (progress.cancel) return Interrupted();
        OFINDEX_TRY(worker.Do(piece));
      }
      const std::lock_guard lock(mutex);
      return worker.Finish();
    });
    if (done) return;
    next = count;
    const std::lock_guard lock(mutex);
    if (!error) error = done.error();
  });
  if (error) return tl::unexpected(*error);
  return {};
}

}  // namespace ofindex
