#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/chunks/sections/chunk_io.h"

namespace ofindex {

/// Appends which of `records` records have a value: `present`, ascending.
void WritePresence(std::span<const uint32_t> present, uint32_t records, ChunkWriter& out);

/// Reads the records that have a value: a bit for each, 64 per word. Errors: kIndex.
[[nodiscard]] Result<std::vector<uint64_t>> ReadPresence(ChunkReader& in, uint32_t records);

/// Returns the records whose bit is set, ascending.
[[nodiscard]] std::vector<uint32_t> SetBits(std::span<const uint64_t> words);

}  // namespace ofindex
