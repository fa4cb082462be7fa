#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/shards/shard_probe.h"

namespace ofindex {

/// Records of this mean size are hopped over (index/walk/header_chain.cc) and decoded page by page: reading half of
/// such a record costs about as much as a pread of one page in addition to copying all of it.
inline constexpr uint64_t kLargeRecordBytes = 32 << 10;

/// Returns true for a shard of large records that is worth a thread of its own: hopping from header to header is
/// waiting for the disk.
[[nodiscard]] bool IsLarge(const ProbedShard& shard);

/// Returns true if the large shards among `shards`, `large` in number, seem to be in the page cache; more chains than
/// processors then only slow each other down. Samples the middle of a few of them, spread over all.
[[nodiscard]] bool LargeOnesAreCached(const std::vector<ProbedShard>& shards, size_t large);

}  // namespace ofindex
