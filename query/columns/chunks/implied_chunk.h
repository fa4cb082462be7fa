#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "index/chunks/chunk.h"

namespace ofindex {

// Chunks that are not stored, because they follow from stored chunks (index/columns/column.h). They have the same form
// as decoded stored chunks.

/// Returns a chunk in which every record is NULL.
[[nodiscard]] Result<Chunk> EmptyChunk(uint32_t records);

/// Returns the number of values in each record of a chunk of values, sizes or lists; NULL if there are none.
[[nodiscard]] Result<Chunk> CountsOf(const Chunk& values);

/// Returns the size of each record's value in a chunk of values or lists, if it is a single value of bytes.
[[nodiscard]] Result<Chunk> SizesOf(const Chunk& values);

/// Returns the one-value lists of a chunk of values, with empty lists for counts of 0 in `counts`.
[[nodiscard]] Result<Chunk> ListsOf(const Chunk& values, const Chunk& counts);

/// Returns a chunk with the same bytes, or with a separate value, for every record.
[[nodiscard]] Result<Chunk> ConstantChunk(ByteView bytes, uint32_t records);
[[nodiscard]] Result<Chunk> IntegerChunk(std::span<const int64_t> values);

}  // namespace ofindex
