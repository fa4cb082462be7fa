#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace ofindex {

/// The progress of a long operation, and its cancel flag. Lock-free, so a signal handler may set `cancel`.
struct Progress {
  std::atomic<bool> cancel{false};
  std::atomic<uint64_t> bytes_total{0};
  std::atomic<uint64_t> bytes_done{0};
  std::atomic<uint64_t> records_done{0};
  std::atomic<uint64_t> records_resumed{0};  ///< those of records_done that an earlier, killed build has scanned
  std::atomic<uint64_t> shards_total{0};
  std::atomic<uint64_t> shards_done{0};
};

/// Returns the error of an operation that was cancelled.
[[nodiscard]] inline tl::unexpected<Error> Interrupted() {
  return Fail(ErrorCode::kInterrupted, "interrupted", "run it again; existing files are untouched");
}

}  // namespace ofindex
