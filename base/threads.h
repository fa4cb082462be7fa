#pragma once

#include <functional>
#include <thread>

#include "base/result.h"

namespace ofindex {

/// Processors that this process may run on, at least 1.
[[nodiscard]] unsigned ProcessorCount();

/// Starts a thread that runs `body`, which must let no exception out. Every thread of ours is started here.
/// Errors: kLimit  the system gives no more threads, or no memory for one.
[[nodiscard]] Result<std::thread> StartThread(std::function<void()> body);

/// Runs `body(k)` on up to `count` threads, k = 0 .. count - 1, one of them the caller's, and returns when all have
/// returned. If the system gives fewer threads, fewer bodies run: `body` takes work from a shared source and may
/// not count on its number. At least body(0) runs. What a body throws is thrown here, once all have returned.
void RunOnThreads(unsigned count, const std::function<void(unsigned)>& body);

}  // namespace ofindex
