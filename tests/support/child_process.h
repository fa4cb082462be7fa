#pragma once

#include <sys/types.h>

#include <functional>

namespace ofindex {

/// Runs `body` in a forked child and waits for the child. Returns the result of `body`, which is the child's exit code,
/// or minus the number of the signal that killed the child. `body` must not use doctest checks: only its result is
/// reported.
[[nodiscard]] int RunInChild(const std::function<int()>& body);

/// RunInChild in two steps, so that the parent can work while the child runs. Start threads only after StartChild: a
/// child inherits the locks that other threads hold during the fork, and would wait for them forever.
[[nodiscard]] pid_t StartChild(const std::function<int()>& body);
[[nodiscard]] int WaitForChild(pid_t child);

}  // namespace ofindex
