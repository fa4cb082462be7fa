#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/threads.h"
#include "query/loading/batch_queue.h"

namespace ofindex {
namespace {

using std::chrono::milliseconds;

// A thread that puts batches. Ends with the test, even if that fails.
class Putter {
 public:
  template <typename Puts>
  Putter(BatchQueue& queue, Puts puts) : queue_(queue) {
    auto thread = StartThread(std::move(puts));
    REQUIRE(thread.has_value());
    thread_ = std::move(*thread);
  }
  ~Putter() {
    if (!thread_.joinable()) return;
    queue_.Stop();
    thread_.join();
  }
  Putter(const Putter&) = delete;
  Putter& operator=(const Putter&) = delete;

  void Join() { thread_.join(); }

 private:
  BatchQueue& queue_;
  std::thread thread_;
};

TEST_CASE("stopping and ending free a thread that waits for room") {
  for (const bool stops : {false, true}) {
    BatchQueue queue(1, 1);
    REQUIRE(queue.WaitForRoom(0));
    Putter waiting(queue, [&queue] { CHECK(!queue.WaitForRoom(1)); });
    std::this_thread::sleep_for(milliseconds(5));
    if (stops) {
      queue.Stop();
    } else {
      queue.EndAt(1);
    }
    waiting.Join();
    CHECK(queue.stopped() == stops);
  }
}

TEST_CASE("a fixed depth is how many batches are begun and not taken") {
  for (const uint64_t depth : {1U, 2U, 5U}) {
    CAPTURE(depth);
    BatchQueue queue(depth, 1);
    std::atomic<uint64_t> begun{0};
    Putter putting(queue, [&] {
      for (uint64_t number = 0; queue.WaitForRoom(number); ++number) {
        ++begun;
        queue.Put(number, LoadedBatch{.ordinals = {number}, .position = number + 1});
      }
    });
    LoadedBatch loaded;
    for (uint64_t taken = 0; taken < 3; ++taken) {
      while (begun < taken + depth) std::this_thread::yield();
      std::this_thread::sleep_for(milliseconds(2));
      CHECK(begun == taken + depth);
      REQUIRE(*queue.Take(milliseconds(20'000), loaded) == LoadOutcome::kBatch);
    }
  }
}

// Puts all batches, each after a pause of up to `pause` microseconds, and takes them with pauses of their own.
void CheckFlow(size_t depth, int64_t put_pause, int64_t take_pause) {
  constexpr uint64_t kBatches = 400;
  BatchQueue queue(depth, 1);
  Putter putting(queue, [&] {
    for (uint64_t number = 0; queue.WaitForRoom(number); ++number) {
      std::this_thread::sleep_for(std::chrono::microseconds(put_pause * static_cast<int64_t>(number % 7) / 7));
      queue.Put(number, LoadedBatch{.ordinals = {number}, .position = number + 1});
      if (number + 1 == kBatches) queue.EndAt(kBatches);
    }
  });
  LoadedBatch loaded;
  for (uint64_t number = 0; number < kBatches; ++number) {
    std::this_thread::sleep_for(std::chrono::microseconds(take_pause * static_cast<int64_t>(number % 5) / 5));
    REQUIRE(*queue.Take(milliseconds(20'000), loaded) == LoadOutcome::kBatch);
    REQUIRE(loaded.position == number + 1);
  }
  CHECK(*queue.Take(milliseconds(20'000), loaded) == LoadOutcome::kEnd);
  putting.Join();
}

TEST_CASE("whichever side is quicker, all batches pass") {
  for (const size_t depth : {size_t{0}, size_t{1}, size_t{2}, size_t{9}}) {
    for (const int64_t put_pause : {0, 100, 600}) {
      for (const int64_t take_pause : {0, 300}) {
        CAPTURE(depth);
        CheckFlow(depth, put_pause, take_pause);
      }
    }
  }
}

}  // namespace
}  // namespace ofindex
