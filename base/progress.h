#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace ofindex {

/// What a long operation tells whoever watches it, and how it is told to stop. Lock-free, so that a signal handler may
/// set `cancel`.
struct Progress {
  std::atomic<bool> cancel{false};
  std::atomic<uint64_t> bytes_total{0};
  std::atomic<uint64_t> bytes_done{0};
  std::atomic<uint64_t> records_done{0};
  std::atomic<uint64_t> shards_total{0};
  std::atomic<uint64_t> shards_done{0};
};

/// What an operation returns that was told to stop.
[[nodiscard]] inline tl::unexpected<Error> Interrupted() {
  return Fail(ErrorCode::kInterrupted, "interrupted", "run it again; what was there before is untouched");
}

}  // namespace ofindex
