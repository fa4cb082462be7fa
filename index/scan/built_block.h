#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/scan/block_check.h"
#include "index/scan/block_skimmer.h"

namespace ofindex {

/// A block of one shard, ready to be written. `row.first_record` counts from the shard's first record.
struct BuiltBlock {
  BlockRow row;
  std::vector<uint32_t> bad = {};  ///< as MapBlock has them: record of the block, and the reason above it
  uint64_t payload_bytes = 0;
  BlockColumns columns = {};

  [[nodiscard]] uint64_t memory() const {
    return row.offsets.size() + row.hashes.size() + 4 * bad.size() + columns.memory() + sizeof *this;
  }
};

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
