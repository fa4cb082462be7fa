#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/chunks/sections/chunk_io.h"

namespace ofindex {

/// Appends a stream of byte strings: `sorted` has the distinct ones in ascending order, `numbers` the index of each
/// value among them.
void WriteStrings(std::span<const ByteView> sorted, std::span<const uint32_t> numbers, ChunkWriter& out);

/// Reads a stream of `count` byte strings. Errors: kIndex.
[[nodiscard]] Result<Chunk::Strings> ReadStrings(ChunkReader& in, uint64_t count);

}  // namespace ofindex
