#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/column_chunk.h"

namespace ofindex {

/// Chunks whose records, one chunk after the other, are `records` of `chunk`: same values, same kinds. Each of
/// `records` is less than chunk.records(); they may repeat, as often as they like. There are as many chunks as it
/// takes, none without records. Errors: kLimit  a record has more values than a chunk may hold.
[[nodiscard]] Result<std::vector<Chunk>> PickedChunks(const Chunk& chunk, std::span<const uint32_t> records);

}  // namespace ofindex
