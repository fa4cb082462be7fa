#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace ofindex {

/// The bytes of one input, taken from the front: choices first, then the bytes that a parser reads. When none are
/// left, every choice is 0.
class FuzzInput {
 public:
  explicit FuzzInput(ByteView bytes) : bytes_(bytes) {}

  [[nodiscard]] uint8_t Byte() { return static_cast<uint8_t>(Number(1)); }

  /// Takes `n` bytes, at most 8, as a little-endian number.
  [[nodiscard]] uint64_t Number(size_t n) {
    uint64_t number = 0;
    const ByteView taken = Bytes(n);
    for (size_t i = 0; i < taken.size(); ++i) number |= uint64_t{taken[i]} << (8 * i);
    return number;
  }

  /// Takes a choice in [0, count), from one byte; `count` is at most 256.
  [[nodiscard]] size_t Below(size_t count) { return Byte() % count; }

  /// Takes `n` bytes, or as many as there are.
  [[nodiscard]] ByteView Bytes(size_t n) {
    const ByteView taken = bytes_.first(std::min(n, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

  [[nodiscard]] ByteView Rest() { return Bytes(bytes_.size()); }
  [[nodiscard]] std::string Text() { return std::string(AsText(Rest())); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  ByteView bytes_;
};

}  // namespace ofindex
