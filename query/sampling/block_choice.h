#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/storage.h"
#include "query/sampling/orders/block_order.h"

namespace ofindex {

/// What decides how sequentially a dataset should be read.
struct ReadingFacts {
  uint64_t records = 0;
  uint64_t payload_bytes = 0;
  uint64_t memory_bytes = 0;  ///< for the cache of pages
  Storage storage = Storage::kSolid;
  uint64_t inflated_bytes = 0;  ///< of compressed shards
  uint64_t span_bytes = 0;      ///< of them between two checkpoints; 0 where no shard is compressed
  uint64_t cache_bytes = 0;     ///< for inflated spans
};

/// The shape that `--block auto` takes, of runs of 1 for a global shuffle, and why, in words.
struct BlockChoice {
  BlockShape shape;
  std::string reason;
};

/// The smallest run that reads at the speed of the device; shorter where the runs in flight would not fit memory, and 1
/// where single records are read as fast.
/// Of compressed shards a run takes a span or more, and without `lanes` there are so few of them that the spans of all
/// runs in flight stay in the cache.
[[nodiscard]] BlockChoice ChooseBlock(const ReadingFacts& facts, std::optional<uint64_t> lanes = {});

}  // namespace ofindex
