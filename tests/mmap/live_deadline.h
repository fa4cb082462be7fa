#pragma once

#include <chrono>
#include <cstdlib>

namespace ofindex {

using Clock = std::chrono::steady_clock;

/// Returns when a test that begins now should end, if it changes files while they are read: after OFINDEX_LIVE_SECONDS
/// seconds, by default 3.
inline Clock::time_point LiveDeadline() {
  const char* seconds = std::getenv("OFINDEX_LIVE_SECONDS");
  return Clock::now() + std::chrono::seconds(seconds == nullptr ? 3 : std::atoi(seconds));
}

}  // namespace ofindex
