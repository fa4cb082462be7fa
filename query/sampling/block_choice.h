#pragma once

#include <cstdint>
#include <string>

#include "base/storage.h"
#include "query/sampling/block_order.h"

namespace ofindex {

/// What decides how sequentially a dataset should be read.
struct ReadingFacts {
  uint64_t records = 0;
  uint64_t payload_bytes = 0;
  uint64_t memory_bytes = 0;  ///< for the cache of pages
  Storage storage = Storage::kSolid;
};

/// The run that `--block auto` takes, 1 for a global shuffle, and why, in words.
struct BlockChoice {
  uint64_t run = 1;
  std::string reason;
};

/// The smallest run that reads at the speed of the device; shorter where the runs in flight would not fit memory, and 1
/// where single records are read as fast.
/// `shape` has the lanes and the window.
[[nodiscard]] BlockChoice ChooseBlock(const ReadingFacts& facts, const BlockShape& shape = {});

}  // namespace ofindex
