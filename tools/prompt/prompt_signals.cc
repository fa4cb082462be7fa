#include "tools/prompt/prompt_signals.h"

#include <poll.h>
#include <unistd.h>

namespace ofindex {
namespace {

std::atomic<bool>* cancel_flag = nullptr;
std::atomic<bool> was_interrupted{false};
std::atomic<bool> was_ended{false};
std::atomic<bool> was_resized{false};
std::atomic<bool> was_continued{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void OnPromptSignal(int signal) {
  switch (signal) {
    case SIGWINCH: was_resized = true; return;
    case SIGCONT: was_continued = true; return;
    case SIGINT: was_interrupted = true; break;
    default: was_ended = true; break;
  }
  *cancel_flag = true;
}

}  // namespace

PromptSignals::PromptSignals(std::atomic<bool>& cancel) {
  cancel_flag = &cancel;
  struct sigaction action {};
  action.sa_handler = OnPromptSignal;  // without SA_RESTART: a read returns
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

PromptSignals::~PromptSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

void PromptSignals::Reset() {
  was_interrupted = false;
  *cancel_flag = false;
  if (was_ended) *cancel_flag = true;
}

// Signals are blocked except while the system waits: none can come between the look at the flags and the wait.
bool PromptSignals::WaitForInput() {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  for (const int signal : kSignals) sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const bool signalled = was_interrupted || was_ended || was_resized || was_continued;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = signalled ? -1 : ::ppoll(&input, 1, nullptr, &before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return ready > 0;
}

bool PromptSignals::interrupted() { return was_interrupted; }
bool PromptSignals::must_end() { return was_ended; }
bool PromptSignals::TakeResized() { return was_resized.exchange(false); }
bool PromptSignals::TakeContinued() { return was_continued.exchange(false); }

}  // namespace ofindex
