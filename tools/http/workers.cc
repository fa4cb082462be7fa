#include "tools/http/workers.h"

#include <utility>

#include "base/threads.h"

namespace ofindex {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Result<void> Workers::Start(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    auto started = StartThread([this] { WorkOff(); });
    if (!started && threads_.empty()) return tl::unexpected(std::move(started).error());
    if (!started) break;
    threads_.push_back(std::move(*started));
  }
  return {};
}

bool Workers::Queue(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= max_waiting_) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void Workers::WorkOff() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return done_ || !waiting_.empty(); });
    if (done_) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace ofindex
