#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/shell/context.h"

namespace ofindex {

/// Ends the process if what runs does not end by itself, a second after it should have: past its time, or once the
/// user asked it to stop. For what changes nothing and may be lost anywhere, such as a question. Watches as long as it
/// lives, if the system gives a thread for that; `context` must outlive it.
class Watchdog {
 public:
  Watchdog(std::optional<std::chrono::nanoseconds> timeout, const Context& context);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Watch();

  const std::optional<std::chrono::nanoseconds> timeout_;
  const Context& context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ofindex
