#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.h"
#include "index/catalog/damage.h"
#include "index/scan/built_block.h"
#include "index/walk/stream_findings.h"
#include "index/walk/walk_range.h"

namespace ofindex {

/// Everything that the walk of a shard found besides blocks.
struct ShardFindings {
  std::vector<DamagedRange> damage = {};  ///< between the blocks
  StreamFindings stream = {};             ///< of a compressed shard
  WalkedRange walked = {};                ///< of a range of a shard
};

/// Passes the blocks of many shards from many building threads to one writer, which takes them in order of shards and
/// blocks: the index does not depend on timing. Thread-safe.
///
/// Memory is bounded: builders call WaitForRoom before they walk a block and wait while the queue is full, except in
/// the writer's shard as long as none of its blocks has arrived. If one has, the block that the writer needs has
/// arrived too, or another thread works on it, since blocks are walked in order. So the queue exceeds its limit by at
/// most one block per thread.
class BlockQueue {
 public:
  BlockQueue(size_t shards, uint64_t max_bytes) : shards_(shards), max_bytes_(max_bytes) {}

  /// Waits until a block of `shard` may be built. Returns false if the build was aborted.
  [[nodiscard]] bool WaitForRoom(size_t shard);

  /// Adds block `number` of `shard`, counted from 0. Never waits.
  void Put(size_t shard, size_t number, BuiltBlock block);

  /// Records that `shard` has `blocks` blocks, and what else was found in it.
  void Finish(size_t shard, size_t blocks, ShardFindings findings);

  /// Aborts the build with `error`; the first error is kept. All waiting calls return.
  void Abort(Error error);
  [[nodiscard]] bool aborted() const;

  /// Takes the next block of `shard`; nullopt after its last. Shards are taken in order, each to its end.
  [[nodiscard]] Result<std::optional<BuiltBlock>> Take(size_t shard);

  /// Returns the findings of a shard whose blocks were all taken.
  [[nodiscard]] ShardFindings TakeFindings(size_t shard);

 private:
  struct Shard {
    std::deque<std::optional<BuiltBlock>> blocks;  // from number `taken` on
    size_t taken = 0;
    std::optional<size_t> total;
    ShardFindings findings;
  };

  // Returns true if the shard's next block is available.
  [[nodiscard]] static bool Ready(const Shard& shard) {
    return !shard.blocks.empty() && shard.blocks.front().has_value();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shard> shards_;
  const uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  size_t wanted_ = 0;  // the shard that the writer takes from
  std::optional<Error> error_;
};

}  // namespace ofindex
