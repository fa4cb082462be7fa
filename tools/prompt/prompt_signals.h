#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace ofindex {

/// While it lives, signals have the meanings of a prompt: SIGINT ends the statement or drops the line, and never ends
/// the process; SIGTERM and SIGHUP end the prompt. One at a time, in the main thread.
class PromptSignals {
 public:
  /// SIGINT, SIGTERM and SIGHUP set `cancel`, which must outlive this object.
  explicit PromptSignals(std::atomic<bool>& cancel);
  ~PromptSignals();
  PromptSignals(const PromptSignals&) = delete;
  PromptSignals& operator=(const PromptSignals&) = delete;

  /// Forgets an earlier SIGINT, and clears `cancel` unless the prompt is to end.
  static void Reset();

  /// Waits until standard input can be read, or has ended. Returns false if there was a signal before, whose effect
  /// nobody has taken yet.
  [[nodiscard]] static bool WaitForInput();

  [[nodiscard]] static bool interrupted();
  [[nodiscard]] static bool must_end();

  /// Returns true if the terminal was resized, or the process continued after a stop, since the last call.
  [[nodiscard]] static bool TakeResized();
  [[nodiscard]] static bool TakeContinued();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT};

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace ofindex
