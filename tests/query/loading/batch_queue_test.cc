#include "query/loading/batch_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/threads.h"

namespace ofindex {
namespace {

using std::chrono::milliseconds;

LoadedBatch Numbered(uint64_t number, uint64_t bytes = 0) {
  LoadedBatch loaded{.ordinals = {number}, .position = number + 1};
  if (bytes != 0) {
    loaded.batch.arrays.emplace_back();
    REQUIRE(loaded.batch.arrays[0].values.Reserve(bytes));
  }
  return loaded;
}

TEST_CASE("batches are taken in order, whatever the order in which they were put") {
  BatchQueue queue(5, 2);
  for (const uint64_t number : {3U, 0U, 4U, 1U, 2U}) {
    CHECK(queue.WaitForRoom(number));
    queue.Put(number, Numbered(number));
  }
  queue.EndAt(5);
  LoadedBatch loaded;
  for (uint64_t number = 0; number < 5; ++number) {
    REQUIRE(*queue.Take(milliseconds(0), loaded) == LoadOutcome::kBatch);
    CHECK(loaded.ordinals == std::vector<uint64_t>{number});
    CHECK(loaded.position == number + 1);
  }
  CHECK(*queue.Take(milliseconds(0), loaded) == LoadOutcome::kEnd);
  CHECK(!queue.WaitForRoom(5));
}

TEST_CASE("a taker without a batch is told so when its patience ends") {
  BatchQueue queue(2, 1);
  LoadedBatch loaded;
  for (const milliseconds patience : {milliseconds(0), milliseconds(2)}) {
    CHECK(*queue.Take(patience, loaded) == LoadOutcome::kNotYet);
  }
  queue.Put(1, Numbered(1));
  CHECK(*queue.Take(milliseconds(2), loaded) == LoadOutcome::kNotYet);
}

TEST_CASE("an error is taken in its place, and ends the queue") {
  BatchQueue queue(4, 1);
  queue.Put(2, Numbered(2));
  queue.Put(1, Fail(ErrorCode::kDamage, "part-0@16: the record is damaged"));
  queue.Put(0, Numbered(0));
  LoadedBatch loaded;
  CHECK(*queue.Take(milliseconds(0), loaded) == LoadOutcome::kBatch);
  CHECK(queue.Take(milliseconds(0), loaded).error().code == ErrorCode::kDamage);
  CHECK(*queue.Take(milliseconds(0), loaded) == LoadOutcome::kEnd);
  CHECK(!queue.WaitForRoom(2));
}

TEST_CASE("an automatic depth follows the largest batch, within its limits") {
  struct Case {
    uint64_t bytes;
    size_t threads;
    size_t depth;
  };
  const uint64_t mib = uint64_t{1} << 20;
  for (const Case& row :
       {Case{.bytes = 1000, .threads = 1, .depth = 16}, Case{.bytes = 1000, .threads = 30, .depth = 34},
        Case{.bytes = 28 * mib, .threads = 1, .depth = 9},
        Case{.bytes = 300 * mib, .threads = 1, .depth = BatchQueue::kLeastAutomatic}}) {
    BatchQueue queue(0, row.threads);
    CHECK(queue.depth() == BatchQueue::kLeastAutomatic);
    queue.Put(0, Numbered(0, row.bytes));
    CHECK(queue.depth() == row.depth);
    queue.Put(1, Numbered(1));
    CHECK(queue.depth() == row.depth);
  }
  BatchQueue fixed(7, 2);
  fixed.Put(0, Numbered(0, 300 * mib));
  CHECK(fixed.depth() == 7);
}

TEST_CASE("stopping and ending free a thread that waits for room") {
  for (const bool stops : {false, true}) {
    BatchQueue queue(1, 1);
    REQUIRE(queue.WaitForRoom(0));
    auto waiting = StartThread([&queue] { CHECK(!queue.WaitForRoom(1)); });
    REQUIRE(waiting.has_value());
    std::this_thread::sleep_for(milliseconds(5));
    if (stops) {
      queue.Stop();
    } else {
      queue.EndAt(1);
    }
    waiting->join();
    CHECK(queue.stopped() == stops);
  }
}

// Puts all batches, each after a pause of up to `pause` microseconds, and takes them with pauses of their own.
void CheckFlow(size_t depth, int64_t put_pause, int64_t take_pause) {
  constexpr uint64_t kBatches = 400;
  BatchQueue queue(depth, 1);
  auto putting = StartThread([&] {
    for (uint64_t number = 0; queue.WaitForRoom(number); ++number) {
      std::this_thread::sleep_for(std::chrono::microseconds(put_pause * static_cast<int64_t>(number % 7) / 7));
      queue.Put(number, Numbered(number));
      if (number + 1 == kBatches) queue.EndAt(kBatches);
    }
  });
  REQUIRE(putting.has_value());
  LoadedBatch loaded;
  for (uint64_t number = 0; number < kBatches; ++number) {
    std::this_thread::sleep_for(std::chrono::microseconds(take_pause * static_cast<int64_t>(number % 5) / 5));
    REQUIRE(*queue.Take(milliseconds(20'000), loaded) == LoadOutcome::kBatch);
    REQUIRE(loaded.position == number + 1);
  }
  CHECK(*queue.Take(milliseconds(20'000), loaded) == LoadOutcome::kEnd);
  putting->join();
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
