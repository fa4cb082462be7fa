#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "base/result.h"

namespace ofindex {

/// Returns the number of processors that this process may run on, at least 1.
[[nodiscard]] unsigned ProcessorCount();

/// Starts a thread that runs `body`, which must not throw. All threads of this project are started here.
/// Errors: kLimit if the system has no more threads, or no memory for one.
[[nodiscard]] Result<std::thread> StartThread(std::function<void()> body);

/// Runs `body(k)` on up to `count` threads, k = 0 .. count - 1, including the caller's. Once body(0) has returned, no
/// other body begins, and the call returns when those that have begun have returned: on a busy machine, it does not
/// wait until a processor is free for a thread that has nothing left to do. So `body` must take work from a shared
/// source and not rely on `count`; at least body(0) runs. The first exception from a body is rethrown here, after all
/// have returned.
void RunOnThreads(unsigned count, const std::function<void(unsigned)>& body);

/// Objects that are costly to make and kept for later use, at most eight. Thread-safe without locks, so that a fork
/// leaves nothing locked.
template <typename T>
class Spares {
 public:
  Spares() = default;
  ~Spares() {
    for (auto& slot : slots_) delete slot.load(std::memory_order_acquire);
  }
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  /// Returns a kept object, or null if there is none.
  [[nodiscard]] std::unique_ptr<T> Take() {
    for (auto& slot : slots_) {
      if (T* const spare = slot.exchange(nullptr, std::memory_order_acq_rel)) return std::unique_ptr<T>(spare);
    }
    return nullptr;
  }

  /// Keeps `spare` if there is room, and otherwise deletes it.
  void Give(std::unique_ptr<T> spare) {
    for (auto& slot : slots_) {
      T* none = nullptr;
      if (!slot.compare_exchange_strong(none, spare.get(), std::memory_order_acq_rel)) continue;
      static_cast<void>(spare.release());
      return;
    }
  }

 private:
  std::array<std::atomic<T*>, 8> slots_{};
};

}  // namespace ofindex
