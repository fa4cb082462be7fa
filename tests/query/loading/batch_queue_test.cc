#include "query/loading/batch_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

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
    CHECK(queue.depth() == std::max(BatchQueue::kLeastAutomatic, row.threads));
    queue.Put(0, Numbered(0, row.bytes));
    CHECK(queue.depth() == row.depth);
    queue.Put(1, Numbered(1));
    CHECK(queue.depth() == row.depth);
  }
  BatchQueue fixed(7, 2);
  fixed.Put(0, Numbered(0, 300 * mib));
  CHECK(fixed.depth() == 7);
}

}  // namespace
}  // namespace ofindex
