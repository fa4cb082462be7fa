#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/scan/block_check.h"
#include "index/scan/block_extractor.h"

namespace ofindex {

/// A block of one shard, ready to be written. `row.first_record` counts from the shard's first record.
struct BuiltBlock {
  BlockRow row;
  /// as in MapBlock: the record's number in the block, with the reason in the bits above it
  std::vector<uint32_t> bad = {};
  uint64_t payload_bytes = 0;
  BlockColumns columns = {};

  [[nodiscard]] uint64_t memory() const {
    return row.offsets.size() + row.hashes.size() + 4 * bad.size() + columns.memory() + sizeof *this;
  }
};

/// Returns a bad record as in BuiltBlock::bad.
[[nodiscard]] constexpr uint32_t BadEntry(uint32_t record, BadReason reason) {
  return record | static_cast<uint32_t>(reason) << 16;
}

/// Encodes a block of `shard` with record boundaries `boundaries`: the start of each record, at least one, then the end
/// of the last. `first_record` is counted from the shard's first record.
[[nodiscard]] BuiltBlock EncodeBlock(size_t shard, Framing framing, uint64_t first_record,
                                     std::span<const uint64_t> boundaries);

/// Adds hashes and wrong checksums to `block`. Errors: kStale if a header differs from the one just walked: the shard,
/// at `path`, is being written to.
[[nodiscard]] Result<void> TakeFindings(BlockFindings findings, const std::string& path,
                                        std::span<const uint64_t> boundaries, BuiltBlock& block);

/// Merges the malformed records into those with a wrong checksum; a record with both faults keeps the checksum as
/// reason.
void MergeBad(BuiltBlock& block);

}  // namespace ofindex
