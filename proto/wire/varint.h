#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace ofindex {

/// The size of the longest varint.
inline constexpr size_t kMaxVarintBytes = 10;

/// Reads the varint at the front of `bytes`, which has at most kMaxVarintBytes bytes; bits above 64 are dropped.
/// Returns the varint's size, or 0 if it does not end in `bytes`; `*value` is then unchanged.
[[nodiscard]] inline size_t TakeVarint(ByteView bytes, uint64_t* value) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint64_t byte = bytes[i];
    bits |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *value = bits;
      return i + 1;
    }
  }
  return 0;
}

/// Returns the number of bytes that WriteVarint writes for `value`: 1 to 10.
[[nodiscard]] constexpr size_t VarintBytes(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

/// Writes `value` as the shortest varint at `out`, and returns its end.
inline uint8_t* WriteVarint(uint64_t value, uint8_t* out) {
  while (value >= 0x80) {
    *out++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<uint8_t>(value);
  return out;
}

/// Joins the low seven bits of each byte of `word`, lowest byte first; the top bit of each must be 0.
[[nodiscard]] constexpr uint64_t JoinSevens(uint64_t word) {
  word = (word & 0x007f'007f'007f'007f) | (word & 0x7f00'7f00'7f00'7f00) >> 1;
  word = (word & 0x0000'3fff'0000'3fff) | (word & 0x3fff'0000'3fff'0000) >> 2;
  return (word & 0x0fff'ffff) | (word & 0x0fff'ffff'0000'0000) >> 4;
}

/// Returns the number of varints in `chunk`, a packed list; 0 if it is empty or malformed. Reads eight bytes at a time.
[[nodiscard]] uint64_t CountVarints(ByteView chunk);

/// Reads the varints in `chunk`, a packed list, to `to`, which has room for one of each byte; bits above 64 are
/// dropped. Returns their number; nullopt if the last varint is cut or one is too long.
[[nodiscard]] std::optional<size_t> ReadVarints(ByteView chunk, int64_t* to);

}  // namespace ofindex
