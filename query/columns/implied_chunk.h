#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "index/chunks/chunk.h"

namespace ofindex {

// Chunks that no index holds, because they follow from those that it does (index/columns/column.h), in the form of all
// others.

/// A chunk in which every record is NULL.
[[nodiscard]] Result<Chunk> EmptyChunk(uint32_t records);

/// How many values each record has, by a chunk of values, sizes or lists: as many as are there, else NULL.
[[nodiscard]] Result<Chunk> CountsOf(const Chunk& values);

/// The size of each record's value, where it has exactly one and that is bytes, by a chunk of values or lists.
[[nodiscard]] Result<Chunk> SizesOf(const Chunk& values);

/// Lists of one value by a chunk of values, and empty ones where `counts` says 0.
[[nodiscard]] Result<Chunk> ListsOf(const Chunk& values, const Chunk& counts);

/// The same bytes, or a value of its own, for every record.
[[nodiscard]] Result<Chunk> ConstantChunk(ByteView bytes, uint32_t records);
[[nodiscard]] Result<Chunk> IntegerChunk(std::span<const int64_t> values);

}  // namespace ofindex
