#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/shards/shard_probe.h"

namespace ofindex {

/// Shards with records of at least this mean size are walked from header to header (index/walk/header_chain.cc) and
/// decoded page by page. For smaller records, reading everything is cheaper than one pread per page.
inline constexpr uint64_t kLargeRecordBytes = 32 << 10;

/// Returns true for a shard of large records, which is worth a thread of its own: a walk from header to header mostly
/// waits for the disk.
[[nodiscard]] bool IsLarge(const ProbedShard& shard);

/// Returns true if the large shards among `shards`, `large` in number, seem to be in the page cache; more chains than
/// processors then only slow each other down. Samples the middle of a few shards, spread over the whole list.
[[nodiscard]] bool LargeOnesAreCached(const std::vector<ProbedShard>& shards, size_t large);

}  // namespace ofindex
