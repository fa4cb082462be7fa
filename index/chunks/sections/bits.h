#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// Returns the bytes that `count` fields of `width` bits take. At most 2^32 fields of at most 64 bits.
[[nodiscard]] constexpr uint64_t BitsBytes(uint64_t count, uint32_t width) { return (count * width + 7) / 8; }

/// Appends the low `width` bits of each value to `out`: fields without gaps, low bits first, padded with zero bits to a
/// whole byte. T is an unsigned integer of 32 or 64 bits, at least as wide as a field.
template <typename T>
void PackBits(std::span<const T> values, uint32_t width, std::vector<uint8_t>& out);

/// Reads out.size() fields from `bits`, which has BitsBytes(out.size(), width) bytes. T is an unsigned integer of 8,
/// 16, 32 or 64 bits, at least as wide as a field.
template <typename T>
void UnpackBits(ByteView bits, uint32_t width, std::span<T> out);

}  // namespace ofindex
