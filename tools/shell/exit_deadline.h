#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ofindex {

/// Ends the process with exit code 0 if this object lives longer than a time. For a program whose work is done while
/// threads of it still are at something that nobody waits for, and that changes nothing. Without a thread for it, the
/// program waits.
class ExitDeadline {
 public:
  explicit ExitDeadline(std::chrono::milliseconds time);
  ~ExitDeadline();
  ExitDeadline(const ExitDeadline&) = delete;
  ExitDeadline& operator=(const ExitDeadline&) = delete;

 private:
  void Wait(std::chrono::milliseconds time);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ofindex
