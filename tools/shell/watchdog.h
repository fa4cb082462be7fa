#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/shell/context.h"

namespace ofindex {

/// Ends the process if its work does not end by itself within a second of its time limit or of the user's request to
/// stop. For work that changes nothing and can be abandoned at any point, such as a query. Watches as long as it lives,
/// if the system can start a thread; `context` must outlive it.
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
