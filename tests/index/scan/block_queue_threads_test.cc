#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "index/scan/block_queue.h"

namespace ofindex {
namespace {

constexpr uint64_t kAmpleRoom = uint64_t{1} << 30;

// Returns a distinguishable block that uses some `bytes` of memory.
BuiltBlock Block(size_t shard, uint64_t number, size_t bytes = 10) {
  BuiltBlock block;
  block.row.shard = static_cast<uint32_t>(shard);
  block.row.first_record = number;
  block.row.offsets.resize(bytes);
  return block;
}

// Takes all blocks of a shard and checks that they are numbered 0, 1, ...
size_t TakeAll(BlockQueue& queue, size_t shard) {
  for (size_t number = 0;; ++number) {
    const Result<std::optional<BuiltBlock>> block = queue.Take(shard);
    REQUIRE(block.has_value());
    if (!*block) return number;
    CHECK((*block)->row.shard == shard);
    CHECK((*block)->row.first_record == number);
  }
}

TEST_CASE("blocks are taken in order, whatever the order in which they were put") {
  BlockQueue queue(2, kAmpleRoom);
  queue.Finish(1, 2, {});
  queue.Put(1, 1, Block(1, 1));
  queue.Put(0, 2, Block(0, 2));
  queue.Put(0, 0, Block(0, 0));
  queue.Put(1, 0, Block(1, 0));
  queue.Put(0, 1, Block(0, 1));
  queue.Finish(0, 3, {.damage = {{5, 9, DamageReason::kTornTail}}});
  CHECK(TakeAll(queue, 0) == 3);
  CHECK(queue.TakeFindings(0).damage == std::vector<DamagedRange>{{5, 9, DamageReason::kTornTail}});
  CHECK(TakeAll(queue, 1) == 2);
  CHECK(queue.TakeFindings(1).damage.empty());
}

TEST_CASE("a shard without blocks ends at once") {
  BlockQueue queue(1, kAmpleRoom);
  queue.Finish(0, 0, {});
  CHECK(TakeAll(queue, 0) == 0);
}

TEST_CASE("an abort wakes all waiting threads, and its first error is reported") {
  BlockQueue queue(2, 1);
  queue.Put(0, 5, Block(0, 5));  // the queue is full now
  std::jthread writer([&] {
    const auto block = queue.Take(0);
    REQUIRE(!block.has_value());
    CHECK(block.error().message == "first");
  });
  std::jthread builder([&] { CHECK(!queue.WaitForRoom(1)); });
  CHECK(!queue.aborted());
  queue.Abort({ErrorCode::kIo, "first"});
  queue.Abort({ErrorCode::kUsage, "second"});
  CHECK(queue.aborted());
  writer.join();
  CHECK(queue.Take(1).error().message == "first");
}

TEST_CASE("the builder of the next block that the writer takes need not wait, however full the queue") {
  BlockQueue queue(3, 1);
  queue.Put(2, 0, Block(2, 0, 1000));
  CHECK(queue.WaitForRoom(0));
  queue.Put(0, 0, Block(0, 0, 1000));
  queue.Finish(0, 1, {});
  CHECK(TakeAll(queue, 0) == 1);
  queue.Finish(1, 0, {});
  // The writer reaches the second shard.
  CHECK(TakeAll(queue, 1) == 0);
  CHECK(queue.WaitForRoom(1));
}

TEST_CASE("in a full queue, the writer's shard gets no more blocks before the writer takes the first") {
  struct Case {
    const char* what;
    size_t arrived;  // number of the block
  };
  for (const Case& one : {Case{"the first block waits for the writer", 0}, Case{"another thread builds it", 1}}) {
    CAPTURE(one.what);
    BlockQueue queue(1, 1);
    queue.Put(0, one.arrived, Block(0, one.arrived));
    std::atomic<bool> asks = false;
    std::atomic<bool> has_room = false;
    std::jthread builder([&] {
      asks = true;
      CHECK(queue.WaitForRoom(0));
      has_room = true;
    });
    const auto waits = [&] {
      while (!asks) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return !has_room;
    };
    CHECK(waits());
    if (one.arrived == 1) {
      queue.Put(0, 0, Block(0, 0));
      CHECK(queue.Take(0).value().has_value());
      CHECK(waits());
    }
    CHECK(queue.Take(0).value().has_value());
  }
}

TEST_CASE("many builders and a writer finish, with few blocks in the queue at any time") {
  constexpr size_t kShards = 40;
  constexpr size_t kBlocks = 25;
  constexpr size_t kBlockBytes = 1000;
  constexpr size_t kBuilders = 4;
  BlockQueue queue(kShards, 3 * kBlockBytes);
  std::atomic<size_t> next{0};
  std::atomic<size_t> lying{0};
  std::atomic<size_t> most{0};
  const auto build = [&] {
    for (size_t shard = next++; shard < kShards; shard = next++) {
      for (size_t number = 0; number < kBlocks; ++number) {
        REQUIRE(queue.WaitForRoom(shard));
        const size_t now = ++lying;
        for (size_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
        queue.Put(shard, number, Block(shard, number, kBlockBytes));
      }
      queue.Finish(shard, kBlocks, {});
    }
  };
  std::vector<std::jthread> builders;
  for (size_t i = 0; i < kBuilders; ++i) builders.emplace_back(build);
  for (size_t shard = 0; shard < kShards; ++shard) {
    for (size_t number = 0; number < kBlocks; ++number) {
      const Result<std::optional<BuiltBlock>> block = queue.Take(shard);
      REQUIRE((block.has_value() && block->has_value()));
      CHECK((*block)->row.shard == shard);
      CHECK((*block)->row.first_record == number);
      --lying;
    }
    CHECK(TakeAll(queue, shard) == 0);
  }
  // The blocks that fit, one held by each thread, and the one that the writer has taken last.
  CHECK(most <= 3 + kBuilders + 1);
}

}  // namespace
}  // namespace ofindex
