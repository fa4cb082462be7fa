#include "base/threads.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "base/allocation.h"

namespace ofindex {
namespace {

// The first exception thrown by any of several threads.
class FirstThrown {
 public:
  void Run(const std::function<void(unsigned)>& body, unsigned k) {
    try {
      body(k);
    } catch (const std::exception&) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }
  void Rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace

unsigned ProcessorCount() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1U, std::thread::hardware_concurrency());
}

Result<std::thread> StartThread(std::function<void()> body) {
  return WithMemory("a thread", [&]() -> Result<std::thread> { return std::thread(std::move(body)); });
}

void RunOnThreads(unsigned count, const std::function<void(unsigned)>& body) {
  FirstThrown thrown;
  {
    std::vector<std::jthread> threads;
    try {
      for (unsigned k = 1; k < count; ++k) threads.emplace_back([&thrown, &body, k] { thrown.Run(body, k); });
    } catch (const std::exception&) {
      // If there are no more threads (std::system_error) or no memory (std::bad_alloc), the running threads do all the
      // work.
    }
    thrown.Run(body, 0);
  }
  thrown.Rethrow();
}

}  // namespace ofindex
