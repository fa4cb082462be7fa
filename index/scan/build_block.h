#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/record.h"
#include "base/result.h"
#include "index/scan/block_check.h"
#include "index/scan/block_queue.h"

namespace ofindex {

// What a scan makes a block of, step by step.

/// A block of the records of `shard` that begin at `points` and end at the last of them, at least one; `first_record`
/// counts from the shard's first.
[[nodiscard]] BuiltBlock EncodeBlock(size_t shard, Framing framing, uint64_t first_record,
                                     std::span<const uint64_t> points);

/// Takes over hashes and wrong checksums. Errors: kStale  a header is not what the walk has just seen: the shard, at
/// `path`, is being written to.
[[nodiscard]] Result<void> TakeFindings(BlockFindings findings, const std::string& path,
                                        std::span<const uint64_t> points, BuiltBlock& block);

/// Adds the malformed records to those whose checksum is wrong, which counts as the reason of both.
void MergeBad(BuiltBlock& block);

}  // namespace ofindex
