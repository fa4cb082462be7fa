#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// Lets a few threads at once do heavy work, and some more wait for their turn, so that any number of requests takes
/// bounded memory. Thread-safe; must outlive all passes.
class WorkGate {
 public:
  WorkGate(unsigned running, unsigned waiting) : free_(running), seats_(waiting) {}

  /// The right to do heavy work, which ends with this object.
  class Pass {
   public:
    explicit Pass(WorkGate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass();

   private:
    WorkGate* gate_;
  };

  /// Waits for a pass. Errors: kLimit if too many wait already; kInterrupted once `progress` is cancelled.
  [[nodiscard]] Result<Pass> Enter(const Progress& progress);

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  unsigned free_;
  unsigned seats_;
};

}  // namespace ofindex
