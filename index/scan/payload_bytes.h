#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "index/images/image_bytes.h"
#include "proto/extract/extracted_feature.h"

namespace ofindex {

/// The bytes of one payload, in memory or in pages. Views its argument. Not thread-safe.
class PayloadBytes {
 public:
  explicit PayloadBytes(ByteView payload) : payload_(payload) {}
  explicit PayloadBytes(PayloadPages& pages) : pages_(&pages) {}

  /// Returns `n` bytes from `offset`, which lie in the payload; `n` is at least 1 and at most kMaxPiece. Valid until
  /// the next call. Returns null if they cannot be read.
  [[nodiscard]] const uint8_t* At(uint64_t offset, uint64_t n) {
    if (pages_ == nullptr) return payload_.data() + offset;
    uint64_t available = 0;
    const uint8_t* const bytes = unreadable_ ? nullptr : pages_->At(offset, n, available);
    unreadable_ = bytes == nullptr;
    return bytes;
  }

  static constexpr uint64_t kMaxPiece = 256 << 10;

  /// Returns true once bytes could not be read.
  [[nodiscard]] bool unreadable() const { return unreadable_; }

 private:
  ByteView payload_;
  PayloadPages* pages_ = nullptr;
  bool unreadable_ = false;
};

/// An image that is a value in a payload. Views the payload.
class ImageInPayload final : public ImageBytes {
 public:
  ImageInPayload(PayloadBytes& payload, PayloadRange range) : payload_(payload), range_(range) {}

  [[nodiscard]] const uint8_t* At(uint64_t offset, uint64_t n) override {
    return Fits(offset, n, range_.size) ? payload_.At(range_.offset + offset, n) : nullptr;
  }

 private:
  PayloadBytes& payload_;
  PayloadRange range_;
};

}  // namespace ofindex
