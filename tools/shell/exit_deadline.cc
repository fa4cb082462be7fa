#include "tools/shell/exit_deadline.h"

#include <unistd.h>

#include <utility>

#include "base/threads.h"

namespace ofindex {

ExitDeadline::ExitDeadline(std::chrono::milliseconds time) {
  if (auto started = StartThread([this, time] { Wait(time); })) thread_ = std::move(*started);
}

ExitDeadline::~ExitDeadline() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ExitDeadline::Wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, time, [this] { return done_; })) ::_exit(0);
}

}  // namespace ofindex
