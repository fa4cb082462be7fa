#pragma once

#include <functional>

namespace ofindex {

/// Processors that this process may run on, at least 1.
[[nodiscard]] unsigned ProcessorCount();

/// Runs `body(k)` on up to `count` threads, k = 0 .. count - 1, one of them the caller's, and returns when all have
/// returned. Where the system gives fewer threads, fewer bodies run: `body` takes work from a shared source and may
/// not count on its number. At least body(0) runs.
void RunOnThreads(unsigned count, const std::function<void(unsigned)>& body);

}  // namespace ofindex
