#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/storage.h"
#include "query/sampling/orders/block_order.h"

namespace ofindex {

/// The facts that decide how sequentially a dataset should be read.
struct ReadingFacts {
  uint64_t records = 0;
  uint64_t payload_bytes = 0;
  uint64_t memory_bytes = 0;  ///< for the page cache
  Storage storage = Storage::kSolid;
  uint64_t inflated_bytes = 0;  ///< of compressed shards
  uint64_t span_bytes = 0;      ///< of them between two checkpoints; 0 if no shard is compressed
  uint64_t cache_bytes = 0;     ///< for inflated spans
};

/// The block shape for `--block auto`, and the reason in words. Runs of 1 mean a global shuffle.
struct BlockChoice {
  BlockShape shape;
  std::string reason;
};

/// Returns the smallest run that reads at the speed of the device; shorter if the runs in flight would not fit in
/// memory, and 1 if single records are read as fast. For compressed shards, a run covers at least one span; if `lanes`
/// is not given, their number is limited so that the spans of all runs in flight stay in the cache.
[[nodiscard]] BlockChoice ChooseBlock(const ReadingFacts& facts, std::optional<uint64_t> lanes = {});

}  // namespace ofindex
