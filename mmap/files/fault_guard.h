#pragma once

#include <csetjmp>

namespace ofindex {

/// Survives a file that shrinks under a map: touching a page past the file's new end raises SIGBUS, and a guarded
/// section turns that into `false`.
///
/// The handler is installed once, on first use, for the whole process; a SIGBUS that does not come from a guarded
/// section of the same thread goes to the handler that was there before. Guards do not nest. Costs about 45 ns a
/// section (measured), so one section copies a whole batch. Thread-safe.
class FaultGuard {
 public:
  /// Installs the handler, unless it is there. Called by Run, and so again by the first Run of a forked child.
  static void Install();

  /// Ends the guarded section of this thread.
  static void Leave();

  /// Runs `body` in a guarded section. Returns false if it was cut short by a fault: then it has stopped in the middle,
  /// its destructors have not run, so it must own nothing: plain loads, stores and copies. What the caller wants to
  /// know of its progress afterwards has to be volatile.
  template <typename Body>
  [[nodiscard, gnu::noinline]] static bool Run(Body&& body) {
    Install();
    sigjmp_buf jump;
    Enter(jump);
    if (sigsetjmp(jump, 0) != 0) return false;
    body();
    Leave();
    return true;
  }

 private:
  static void Enter(sigjmp_buf& jump);
};

}  // namespace ofindex
