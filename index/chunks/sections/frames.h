#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/chunks/sections/bits.h"
#include "index/chunks/sections/chunk_io.h"
#include "index/chunks/sections/section.h"

namespace ofindex {

/// The values in a frame: each frame has its own least value and width.
inline constexpr size_t kFrameValues = 1024;

/// One frame: its fields are distances from `base`, modulo 2^64.
struct Frame {
  int64_t base = 0;
  uint32_t width = 0;  ///< of a field, in bits
};

[[nodiscard]] constexpr uint64_t FrameCount(uint64_t values) { return (values + kFrameValues - 1) / kFrameValues; }

/// Appends the frames' headers and fields. A field is the `width` low bits of a value's distance from the base of its
/// frame. T is an unsigned integer of 32 or 64 bits, at least as wide as a field.
template <typename T>
void WriteFrames(std::span<const Frame> frames, std::span<const T> values, ChunkWriter& out);

/// Reads out.size() values in frames, modulo 2^bits of T. Errors: kIndex.
template <typename T>
[[nodiscard]] Result<void> ReadFrames(ChunkReader& in, std::span<T> out);

}  // namespace ofindex
