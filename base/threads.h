#pragma once

#include <functional>
#include <thread>

#include "base/result.h"

namespace ofindex {

/// Returns the number of processors that this process may run on, at least 1.
[[nodiscard]] unsigned ProcessorCount();

/// Starts a thread that runs `body`, which must not throw. All threads of this project are started here.
/// Errors: kLimit if the system has no more threads, or no memory for one.
[[nodiscard]] Result<std::thread> StartThread(std::function<void()> body);

/// Runs `body(k)` on up to `count` threads, k = 0 .. count - 1, including the caller's. Once body(0) has returned, no
/// other body begins, and the call returns when those that have begun have returned: on a busy machine, it does not
/// wait until a processor is free for a thread that has nothing left to do. So `body` must take work from a shared
/// source and not rely on `count`; at least body(0) runs. The first exception from a body is rethrown here, after all
/// have returned.
void RunOnThreads(unsigned count, const std::function<void(unsigned)>& body);

}  // namespace ofindex
