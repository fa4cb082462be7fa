#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace ofindex {

/// Reads the varint at the front of `bytes`, which are at most 10; bits above 64 are dropped. Returns its size, or 0 if
/// it does not end in `bytes`: `*value` is as it was then.
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

}  // namespace ofindex
