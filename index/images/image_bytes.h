#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace ofindex {

/// The bytes of an encoded image, of which a reader of headers asks for a few at a time. They may end anywhere.
class ImageBytes {
 public:
  virtual ~ImageBytes() = default;

  /// Returns the `n` bytes from byte `offset`, at least 1 and at most kMaxPiece. Valid until the next call. Returns
  /// null if the image ends before they do, or if they cannot be read.
  [[nodiscard]] virtual const uint8_t* At(uint64_t offset, uint64_t n) = 0;

  static constexpr uint64_t kMaxPiece = 64;
};

/// An image in memory, or its beginning. Views the bytes.
class MemoryImage final : public ImageBytes {
 public:
  explicit MemoryImage(ByteView bytes) : bytes_(bytes) {}

  [[nodiscard]] const uint8_t* At(uint64_t offset, uint64_t n) override {
    return Fits(offset, n, bytes_.size()) ? bytes_.data() + offset : nullptr;
  }

 private:
  ByteView bytes_;
};

}  // namespace ofindex
