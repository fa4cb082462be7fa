#include "base/threads.h"

#include <sched.h>
#include <unistd.h>

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

/// Threads that were started, and not needed. They end as soon as a processor is free, and are joined later, at the
/// latest when the process exits or unloads this code.
class LateThreads {
 public:
  // Takes over `helpers`, or throws std::bad_alloc, and joins all that have ended.
  static void Keep(std::vector<Helper>& helpers) {
    LateThreads& all = OfProcess();
    const std::lock_guard lock(all.mutex_);
    all.helpers_.reserve(all.helpers_.size() + helpers.size());  // from here on, nothing can fail
    std::move(helpers.begin(), helpers.end(), std::back_inserter(all.helpers_));
    const auto ended = std::stable_partition(all.helpers_.begin(), all.helpers_.end(),
                                             [](const Helper& helper) { return !*helper.ended; });
    // Each has a stack.
    constexpr std::ptrdiff_t kMost = 256;
    const auto excess = std::max<std::ptrdiff_t>(0, ended - all.helpers_.begin() - kMost);
    Join(ended, all.helpers_.end());
    all.helpers_.erase(ended, all.helpers_.end());
    Join(all.helpers_.begin(), all.helpers_.begin() + excess);
    all.helpers_.erase(all.helpers_.begin(), all.helpers_.begin() + excess);
  }

 private:
  using Iterator = std::vector<Helper>::iterator;

  static void Join(Iterator begin, Iterator end) {
    std::for_each(begin, end, [](Helper& helper) { helper.thread.join(); });
  }

  // The threads of a process do not exist in a forked child, which cannot join them, and where another thread may have
  // held the lock: it begins with an empty list, and never frees the other.
  static LateThreads& OfProcess() {
    static const AtExit at_exit;
    LateThreads* all = current_;
    if (all != nullptr && all->process_ == ::getpid()) return *all;
    auto mine = std::make_unique<LateThreads>();
    return current_.compare_exchange_strong(all, mine.get()) ? *mine.release() : *all;
  }

  struct AtExit {
    ~AtExit() {
      LateThreads* const all = current_;
      if (all == nullptr || all->process_ != ::getpid()) return;
      Join(all->helpers_.begin(), all->helpers_.end());
      all->helpers_.clear();
    }
  };

  static inline std::atomic<LateThreads*> current_ = nullptr;

  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::vector<Helper> helpers_;
};

// Without memory, waits for the threads.
void JoinLater(std::vector<Helper> helpers) {
  if (helpers.empty()) return;
  const auto kept = WithMemory("threads", [&]() -> Result<void> {
    LateThreads::Keep(helpers);
    return {};
  });
  if (kept) return;
  for (Helper& helper : helpers) {
    if (helper.thread.joinable()) helper.thread.join();
  }
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
    // work.
    if (!helpers.empty() && !helpers.back().thread.joinable()) helpers.pop_back();
  }
  thrown.Run(body, 0);
  if (crew) crew->Close();
  JoinLater(std::move(helpers));
  thrown.Rethrow();
}

}  // namespace ofindex
