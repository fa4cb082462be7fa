#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/checksum.h"

namespace ofindex {

/// Return the hash of a key. The values are stored in key files: DO NOT CHANGE THEM. The hash of an integer differs
/// from that of its eight bytes.
[[nodiscard]] inline uint64_t HashOfKey(ByteView bytes) { return Xxh3(bytes); }
[[nodiscard]] inline uint64_t HashOfKey(int64_t integer) {
  constexpr uint64_t kIntegers = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  std::array<uint8_t, 8> bytes;
  StoreLe64(bytes.data(), static_cast<uint64_t>(integer));
  return Xxh3(bytes) ^ kIntegers;
}

}  // namespace ofindex
