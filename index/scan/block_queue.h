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

namespace ofindex {

/// Hands the blocks of many shards, built by many threads, to one writer, who takes them shard by shard and block by
/// block: so the index is the same whoever was faster. Thread-safe.
///
/// Memory is bounded: builders ask WaitForRoom before a block is walked, and are held back while too much lies here,
/// all but the one whose next block the writer waits for.
class BlockQueue {
 public:
  BlockQueue(size_t shards, uint64_t most_bytes) : shards_(shards), most_bytes_(most_bytes) {}

  /// Waits until a block of `shard` may be built. Returns false if the build was given up.
  [[nodiscard]] bool WaitForRoom(size_t shard);

  /// Hands over block `number` of `shard`, from 0. Never waits.
  void Put(size_t shard, size_t number, BuiltBlock block);

  /// Says that `shard` has `blocks` blocks, what damage lies between them and, of a compressed one, what it inflates
  /// to.
  void Finish(size_t shard, size_t blocks, std::vector<DamagedRange> damage, StreamFindings stream = {});

  /// Gives up the build because of `error`; the first one counts. Everybody who waits returns.
  void Abort(Error error);
  [[nodiscard]] bool aborted() const;

  /// Takes the next block of `shard`; nullopt after its last. Shards are taken in order, each to its end.
  [[nodiscard]] Result<std::optional<BuiltBlock>> Take(size_t shard);

  /// Damage and stream of a shard that was taken to its end.
  [[nodiscard]] std::vector<DamagedRange> TakeDamage(size_t shard);
  [[nodiscard]] StreamFindings TakeStream(size_t shard);

 private:
  struct Shard {
    std::deque<std::optional<BuiltBlock>> blocks;  // from number `taken` on
    size_t taken = 0;
    std::optional<size_t> total;
    std::vector<DamagedRange> damage;
    StreamFindings stream;
  };

  // True if the shard's next block is there to be taken.
  [[nodiscard]] static bool Ready(const Shard& shard) {
    return !shard.blocks.empty() && shard.blocks.front().has_value();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shard> shards_;
  const uint64_t most_bytes_;
  uint64_t bytes_ = 0;
  size_t wanted_ = 0;  // the shard that the writer takes from
  std::optional<Error> error_;
};

}  // namespace ofindex
