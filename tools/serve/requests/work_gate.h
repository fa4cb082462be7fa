#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <utility>

#include "base/progress.h"
#include "base/result.h"

namespace ofindex {

/// Lets work begin while all that is being done weighs no more than a limit, and some more wait for its turn, so that
/// any number of requests takes bounded memory. Work that weighs 1 is counted; the weight may also be bytes. Who comes
/// first is let in first, so that heavy work has its turn.
/// Thread-safe; must outlive all passes.
class WorkGate {
 public:
  WorkGate(uint64_t running, unsigned waiting) : free_(running), seats_(waiting) {}

  /// The right to do heavy work, which ends with this object.
  class Pass {
   public:
    Pass(WorkGate& gate, uint64_t weight) : gate_(&gate), weight_(weight) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), weight_(other.weight_) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass();

   private:
    WorkGate* gate_;
    uint64_t weight_;
  };

  /// Waits for a pass. `weight` is at most the limit. Errors: kLocked if too many wait already; kInterrupted once
  /// `progress` is cancelled.
  [[nodiscard]] Result<Pass> Enter(const Progress& progress, uint64_t weight = 1);

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  uint64_t free_;
  const size_t seats_;
  std::list<uint64_t> waiting_;  // the weights, by arrival
};

}  // namespace ofindex
