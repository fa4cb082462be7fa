#pragma once

#include <sys/types.h>

#include <functional>

namespace ofindex {

/// Runs `body` in a forked child and waits for it. Returns the child's exit code, which is the result of
/// `body`, or minus the number of the signal that killed it. The child must not use doctest checks: it
/// reports through its exit code.
[[nodiscard]] int RunInChild(const std::function<int()>& body);

/// As RunInChild, in two steps, so that this process can do something meanwhile. Start threads only after the child: a
/// child forked next to running threads inherits the locks they hold, and waits for them forever.
[[nodiscard]] pid_t StartChild(const std::function<int()>& body);
[[nodiscard]] int WaitForChild(pid_t child);

}  // namespace ofindex
