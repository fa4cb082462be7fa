#pragma once

#include <sys/types.h>

#include <functional>

namespace ofindex {

/// Runs `body` in a forked child and waits for it. Returns the child's exit code, which is what `body` returns, or
/// minus the number of the signal that killed it. The child checks nothing by doctest: it says what it found by its
/// code.
[[nodiscard]] int RunInChild(const std::function<int()>& body);

/// The same in two steps, for what this process does meanwhile. Threads that are to run beside the child are started
/// after it: a child that is forked beside threads inherits the locks that they hold, and waits for them for ever.
[[nodiscard]] pid_t StartChild(const std::function<int()>& body);
[[nodiscard]] int WaitForChild(pid_t child);

}  // namespace ofindex
