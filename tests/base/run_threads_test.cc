#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>

#include "base/threads.h"
#include "tests/support/child_process.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

TEST_CASE("each thread number runs once while the first one runs") {
  for (unsigned count : {1U, 2U, 3U, 16U}) {
    std::mutex mutex;
    std::multiset<unsigned> seen;
    std::atomic<unsigned> begun{0};
    RunOnThreads(count, [&](unsigned k) {
      ++begun;
      while (k == 0 && begun < count) std::this_thread::yield();
      const std::lock_guard lock(mutex);
      seen.insert(k);
    });
    CHECK(seen.size() == count);
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == count - 1);
    CHECK(std::set(seen.begin(), seen.end()).size() == count);
  }
}

TEST_CASE("no thread runs its body once the call has returned") {
  std::atomic<unsigned> wrong{0};
  unsigned bodies = 0;
  for (int call = 0; call < 2000; ++call) {
    // Freed after the call, so that a late body is also an error of memory.
    auto inside = std::make_unique<std::atomic<int>>(0);
    auto begun = std::make_unique<std::atomic<unsigned>>(0);
    RunOnThreads(4, [&](unsigned k) {
      ++*begun;
      ++*inside;
      if (k != 0) std::this_thread::yield();
      --*inside;
    });
    if (*inside != 0) ++wrong;
    bodies += *begun;
  }
  CHECK(wrong == 0);
  CHECK(bodies >= 2000);
}

// Returns the number of threads of this process.
uint64_t CountThreads() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "Threads:") continue;
  uint64_t count = 0;
  status >> count;
  return count;
}

TEST_CASE("calls that need few threads leave few behind") {
  const uint64_t before = CountThreads();
  for (int call = 0; call < 500; ++call) RunOnThreads(16, [](unsigned) {});
  CHECK(CountThreads() <= before + ProcessorCount());
}

TEST_CASE("a call does not wait for threads that have not begun") {
  if (kSanitized) return;
  const auto is_alone = [] {
    // All threads share one processor, and none leaves it to another before it waits.
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(::sched_getcpu()), &one);
    const sched_param first{.sched_priority = 1};
    if (::sched_setaffinity(0, sizeof one, &one) != 0 || ::sched_setscheduler(0, SCHED_FIFO, &first) != 0) return 2;
    for (int call = 0; call < 20; ++call) {
      std::atomic<unsigned> bodies{0};
      RunOnThreads(2, [&](unsigned) { ++bodies; });
      if (bodies != 1) return 1;
    }
    return 0;
  };
  const int result = RunInChild(is_alone);
  if (result == 2) {
    MESSAGE("skipped: this user may not set the scheduling of threads");
  } else {
    CHECK(result == 0);
  }
}

TEST_CASE("a forked child has threads of its own, and exits although its parent's are late") {
  if (kSanitized) return;
  const auto work = [] {
    std::atomic<unsigned> next{0};
    RunOnThreads(8, [&](unsigned) {
      while (next.fetch_add(1) < 100) continue;
    });
  };
  for (int i = 0; i < 50; ++i) {
    work();
    const auto child = [&] {
      for (int call = 0; call < 10; ++call) work();
      std::exit(0);  // with the destructors of static objects
      return 1;
    };
    CHECK(RunInChild(child) == 0);
  }
}

TEST_CASE("the caller is the first thread, even if no others are requested") {
  for (unsigned count : {0U, 1U, 4U}) {
    std::atomic<bool> caller_ran{false};
    const std::thread::id caller = std::this_thread::get_id();
    RunOnThreads(count, [&](unsigned k) {
      if (k == 0) caller_ran = std::this_thread::get_id() == caller;
    });
    CHECK(caller_ran);
  }
}

TEST_CASE("threads share the work, and no part is lost or done twice") {
  constexpr unsigned kItems = 100'000;
  std::atomic<unsigned> next{0};
  std::atomic<uint64_t> sum{0};
  RunOnThreads(4, [&](unsigned) {
    for (unsigned item; (item = next.fetch_add(1)) < kItems;) sum += item;
  });
  CHECK(sum == uint64_t{kItems} * (kItems - 1) / 2);
}

// Leaves the process at most `bytes` of address space beyond its current use.
void LimitAddressSpace(uint64_t bytes) {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST_CASE("if the system gives fewer threads, those that run do all the work") {
  if (kSanitized) return;
  constexpr unsigned kItems = 1000;
  const auto all_work_is_done = [] {
    LimitAddressSpace(uint64_t{20} << 20);  // two stacks, and those that the C library keeps from earlier threads
    std::atomic<unsigned> bodies{0}, next{0}, done{0};
    std::atomic<bool> all_started{false};
    RunOnThreads(64, [&](unsigned k) {
      ++bodies;
      if (k == 0) all_started = true;  // the caller runs last
      all_started.notify_all();
      all_started.wait(false);  // otherwise a thread could end and pass its stack on to the next
      while (next.fetch_add(1) < kItems) ++done;
    });
    return bodies >= 64 ? 2 : done == kItems ? 0 : 1;
  };
  CHECK(RunInChild(all_work_is_done) == 0);
}

TEST_CASE("if there is no memory left at all, the caller does the work alone") {
  if (kSanitized) return;
  const auto caller_runs = [] {
    LimitAddressSpace(0);
    while (new (std::nothrow) char != nullptr) continue;  // down to the smallest piece
    bool ran = false;
    RunOnThreads(8, [&](unsigned k) { ran = ran || k == 0; });
    return ran ? 0 : 1;
  };
  CHECK(RunInChild(caller_runs) == 0);
}

TEST_CASE("an exception in one thread is rethrown after all threads have returned") {
  for (const unsigned thrower : {0U, 1U, 3U}) {
    CAPTURE(thrower);
    std::atomic<unsigned> begun{0};
    std::atomic<unsigned> returned{0};
    const auto run = [&] {
      RunOnThreads(4, [&](unsigned k) {
        ++begun;
        while (k == 0 && begun < 4) std::this_thread::yield();
        if (k == thrower) throw std::bad_alloc();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++returned;
      });
    };
    CHECK_THROWS_AS(run(), std::bad_alloc);
    CHECK(returned == 3);
  }
}

TEST_CASE("failing to start a thread is a kLimit error") {
  if (kSanitized) return;
  const auto is_limit = [] {
    LimitAddressSpace(uint64_t{1} << 20);    // no stack
    for (int left = 64; left > 0; --left) {  // the first may get stacks that the C library keeps from earlier threads
      auto thread = StartThread([] { ::pause(); });
      if (!thread) return thread.error().code == ErrorCode::kLimit ? 0 : 1;
      thread->detach();
    }
    return 2;
  };
  CHECK(RunInChild(is_limit) == 0);
}

TEST_CASE("the processor count is the number of processors that the process may use") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(ProcessorCount() == static_cast<unsigned>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(ProcessorCount() == 1);
  REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
}

}  // namespace
}  // namespace ofindex
