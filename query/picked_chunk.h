#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "index/column_chunk.h"

namespace ofindex {

/// A chunk whose record i is record `records[i]` of `chunk`: same value, same kind. Each of `records` is less than
/// chunk.records(); they may repeat. Errors: kLimit  the values are more than a chunk may hold.
[[nodiscard]] Result<Chunk> PickedChunk(const Chunk& chunk, std::span<const uint32_t> records);

}  // namespace ofindex
