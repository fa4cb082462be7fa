#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

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

/// Returns the number of varints in `chunk`, a packed list; 0 if it is empty or malformed. Reads eight bytes at a time.
[[nodiscard]] uint64_t CountVarints(ByteView chunk);

}  // namespace ofindex
