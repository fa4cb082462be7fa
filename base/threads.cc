#include "base/threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <memory>
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

/// What a call of RunOnThreads shares with its threads, which may outlive it.
class Crew {
 public:
  // Returns false if the call is over: the thread must end without touching anything else.
  [[nodiscard]] bool Enter() {
    const std::lock_guard lock(mutex_);
    if (!closed_) ++inside_;
    return !closed_;
  }

  void Leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) left_.notify_one();
  }

  // Lets no other thread in, and waits for those inside.
  void Close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  unsigned inside_ = 0;
  bool closed_ = false;
};

struct Helper {
  std::thread thread;
  std::shared_ptr<std::atomic<bool>> ended;  // set at the end of the thread: joining it takes no time
};

void Join(std::vector<Helper>& helpers) {
  for (Helper& helper : helpers) {
    if (helper.thread.joinable()) helper.thread.join();
  }
  helpers.clear();
}

/// The threads of calls that have returned. Most had nothing to do: they end as soon as a processor is free for them,
/// and are joined later, at the latest when the process exits or unloads this code.
class LateThreads {
 public:
  // Takes over `helpers`, or throws std::bad_alloc. Joins those that have ended and, if more are left than there are
  // processors, the oldest: each takes a stack, and counts against the limits of the system.
  static void Keep(std::vector<Helper>& helpers) {
    std::vector<Helper> leaving;
    {
      LateThreads& all = OfProcess();
      const std::lock_guard lock(all.mutex_);
      leaving.reserve(all.helpers_.size() + helpers.size());
      all.helpers_.reserve(all.helpers_.size() + helpers.size());  // from here on, nothing can fail
      std::move(helpers.begin(), helpers.end(), std::back_inserter(all.helpers_));
      helpers.clear();
      size_t excess = all.helpers_.size() - std::min<size_t>(all.helpers_.size(), ProcessorCount());
      for (Helper& helper : all.helpers_) {
        if (!*helper.ended && excess == 0) continue;
        excess -= excess == 0 ? 0 : 1;
        leaving.push_back(std::move(helper));
      }
      std::erase_if(all.helpers_, [](const Helper& helper) { return helper.ended == nullptr; });
    }
    Join(leaving);
  }

  // Called at exit, and when this code is unloaded.
  static void JoinAll() {
    LateThreads* const all = current_;
    if (all == nullptr) return;
    const std::lock_guard lock(all->mutex_);
    Join(all->helpers_);
  }

 private:
  // A forked child has no threads but its first one, and another thread of its parent may have held the lock. So it
  // begins with a new list, and never frees the old one.
  static LateThreads& OfProcess() {
    LateThreads* all = current_;
    if (all != nullptr) return *all;
    auto mine = std::make_unique<LateThreads>();
    if (!current_.compare_exchange_strong(all, mine.get())) return *all;
    ::pthread_atfork(nullptr, nullptr, [] { current_ = nullptr; });
    return *mine.release();
  }

  static inline std::atomic<LateThreads*> current_ = nullptr;

  std::mutex mutex_;
  std::vector<Helper> helpers_;
};

const struct AtExit {
  ~AtExit() { LateThreads::JoinAll(); }
} kAtExit;

// Without memory, waits for the threads.
void JoinLater(std::vector<Helper> helpers) {
  if (helpers.empty()) return;
  const auto kept = WithMemory("threads", [&]() -> Result<void> {
    LateThreads::Keep(helpers);
    return {};
  });
  if (!kept) Join(helpers);
}

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
  std::vector<Helper> helpers;
  std::shared_ptr<Crew> crew;
  try {
    crew = std::make_shared<Crew>();
    for (unsigned k = 1; k < count; ++k) {
      helpers.push_back({{}, std::make_shared<std::atomic<bool>>(false)});
      helpers.back().thread = std::thread([crew, ended = helpers.back().ended, &thrown, &body, k] {
        if (crew->Enter()) {
          thrown.Run(body, k);
          crew->Leave();
        }
        *ended = true;
      });
    }
  } catch (const std::exception&) {
    // If there are no more threads (std::system_error) or no memory (std::bad_alloc), the running threads do all the
    // work. The last helper has no thread if that failed to start.
    if (!helpers.empty() && !helpers.back().thread.joinable()) helpers.pop_back();
  }
  thrown.Run(body, 0);
  if (crew) crew->Close();
  JoinLater(std::move(helpers));
  thrown.Rethrow();
}

}  // namespace ofindex
