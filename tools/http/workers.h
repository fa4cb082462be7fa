#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// A few threads that work off a bounded queue. Thread-safe.
class Workers {
 public:
  explicit Workers(size_t max_waiting) : max_waiting_(max_waiting) {}
  /// Drops the work that waits, and returns when the work in progress is done.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Starts threads; call it once. Fewer than `count` are enough. Errors: kLimit if there is none.
  [[nodiscard]] Result<void> Start(unsigned count);

  /// Queues `work`, which must not throw. Returns false if too much waits already.
  [[nodiscard]] bool Queue(std::function<void()> work);

 private:
  void WorkOff();

  const size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;  // guarded by mutex_
  bool done_ = false;                          // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace ofindex
