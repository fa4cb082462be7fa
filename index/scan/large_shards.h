#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/shards/shard_probe.h"

namespace ofindex {

/// Records of this mean size are hopped over (index/walk/header_chain.cc) and skimmed by the page: to read half of one
/// costs what the pread of a page costs beside copying all of it.
inline constexpr uint64_t kLargeRecordBytes = 32 << 10;

/// True of a shard of large records that is worth a thread of its own: hopping from header to header is waiting for
/// the disk.
[[nodiscard]] bool IsLarge(const ProbedShard& shard);

/// True if the large shards among `shards`, of which there are `large`, seem to be in the page cache, where more chains
/// than processors only get in each other's way. Looks at a few of them, spread over all, in the middle.
[[nodiscard]] bool LargeOnesAreCached(const std::vector<ProbedShard>& shards, size_t large);

}  // namespace ofindex
