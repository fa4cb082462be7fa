#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "index/scan/block_queue.h"
#include "index/scan/built_block.h"

namespace ofindex {

// What a scan passes to an IndexWriter, as bytes and back, without loss: numbers are little-endian; strings, blobs and
// lists follow their size. Only one version of the program reads the bytes (see SavedShards), so they have no version.
// The number of the shard and the damage of a stream, which ShardFindings::damage includes, are left out.

/// Append the bytes of a block, or of what was found besides in a shard.
void AppendSaved(const BuiltBlock& block, std::vector<uint8_t>& bytes);
void AppendSaved(const ShardFindings& findings, std::vector<uint8_t>& bytes);

/// Return what such bytes mean; nullopt if nothing, or a block that an index cannot have. The bytes are
/// untrusted.
[[nodiscard]] std::optional<BuiltBlock> ParseSavedBlock(ByteView bytes);
[[nodiscard]] std::optional<ShardFindings> ParseSavedFindings(ByteView bytes);

}  // namespace ofindex
