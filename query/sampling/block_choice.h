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
  bool compressed = false;  ///< a record costs the inflating of what stands before it
};

/// The run that `--block auto` takes, 1 for a global shuffle, and why, in words.
struct BlockChoice {
  uint64_t run = 1;
  std::string reason;
};

/// The smallest run that reads at the speed of the device; shorter where the runs in flight would not fit memory, and 1
/// where single records are read as fast.
[[nodiscard]] BlockChoice ChooseBlock(const ReadingFacts& facts);

}  // namespace ofindex
