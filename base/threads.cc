#include "base/threads.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace ofindex {

unsigned ProcessorCount() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1U, std::thread::hardware_concurrency());
}

void RunOnThreads(unsigned count, const std::function<void(unsigned)>& body) {
  std::vector<std::jthread> threads;
  try {
    for (unsigned k = 1; k < count; ++k) threads.emplace_back([&body, k] { body(k); });
  } catch (const std::exception&) {
    // Out of threads (std::system_error) or of memory (std::bad_alloc): those that run will do all the work.
  }
  body(0);
}

}  // namespace ofindex
