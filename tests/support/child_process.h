#pragma once

#include <functional>

namespace ofindex {

/// Runs `body` in a forked child and waits for it. Returns the child's exit code, which is what `body` returns, or
/// minus the number of the signal that killed it. The child checks nothing by doctest: it says what it found by its
/// code.
[[nodiscard]] int RunInChild(const std::function<int()>& body);

}  // namespace ofindex
