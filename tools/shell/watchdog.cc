#include "tools/shell/watchdog.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "base/threads.h"
#include "tools/shell/messages.h"

namespace ofindex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::seconds kGrace{1};

[[noreturn]] void EndProcess(const Error& error, const Context& context) {
  if (error.code != ErrorCode::kInterrupted) PrintError(error, context);
  ::_exit(ExitCode(error.code));
}

// Signals must go to the writing thread, where they interrupt a write that waits for its reader.
void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Watchdog::Watchdog(std::optional<std::chrono::nanoseconds> timeout, const Context& context)
    : timeout_(timeout), context_(context) {
  // If no thread can be started, the work ends by itself or not at all.
  if (auto started = StartThread([this] { Watch(); })) thread_ = std::move(*started);
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::Watch() {
  BlockSignals();
  const Clock::time_point begin = Clock::now();
  std::optional<Clock::time_point> cancelled;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kBetweenLooks, [&] { return done_; })) {
    const Clock::time_point now = Clock::now();
    if (timeout_ && now - begin > *timeout_ + kGrace) {
      EndProcess({ErrorCode::kLimit, "the statement took longer than its time limit", "query less, or raise --timeout"},
                 context_);
    }
    if (context_.progress.cancel && !cancelled) cancelled = now;
    if (cancelled && now - *cancelled > kGrace) EndProcess(Interrupted().value(), context_);
  }
}

}  // namespace ofindex
