#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <variant>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/chunks/sections/chunk_io.h"

namespace ofindex {

/// Appends `values` as a stream of integers, in the smallest encoding: one pass over the values computes the size of
/// each encoding.
void WriteIntegers(std::span<const int64_t> values, ChunkWriter& out);
void WriteIntegers(std::span<const uint32_t> values, ChunkWriter& out);

/// Reads a stream of `count` integers. Errors: kIndex.
[[nodiscard]] Result<Chunk::Integers> ReadIntegers(ChunkReader& in, uint64_t count);

/// Returns the number of significant bits in `value`.
[[nodiscard]] constexpr uint32_t Width(uint64_t value) { return static_cast<uint32_t>(std::bit_width(value)); }

/// Returns the width of decoded offsets in bits: the narrowest of 8, 16, 32 and 64 that holds `range`, the distance
/// between the least value and the greatest.
[[nodiscard]] constexpr uint32_t OffsetBits(uint64_t range) {
  return range >> 32 != 0 ? 64 : range >> 16 != 0 ? 32 : range >> 8 != 0 ? 16 : 8;
}

/// Decoding cost per value of a stream.
inline constexpr uint64_t kIntegerCost = 8;

/// Calls `body(v)` with each value of a decoded stream, in order, as int64.
template <typename Body>
void ForEachInteger(const Chunk::Integers& integers, Body&& body) {
  std::visit(
      [&](const auto& offsets) {
        for (const auto offset : offsets) body(static_cast<int64_t>(static_cast<uint64_t>(integers.base) + offset));
      },
      integers.offsets);
}

}  // namespace ofindex
