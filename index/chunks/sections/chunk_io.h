#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/text.h"
#include "index/chunks/sections/chunk_format.h"
#include "proto/wire/varint.h"

namespace ofindex {

/// The bytes of a chunk under construction, and their decoding cost. Not thread-safe.
class ChunkWriter {
 public:
  void Byte(uint8_t value) { bytes_.push_back(value); }

  /// Appends seven bits per byte, low ones first, the high bit set in all but the last.
  void Varint(uint64_t value) {
    std::array<uint8_t, kMaxVarintBytes> bytes;
    Bytes({bytes.data(), WriteVarint(value, bytes.data())});
  }

  /// Appends a varint in zigzag order: 0, -1, 1, -2, ...
  void Signed(int64_t value) { Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }

  void Bytes(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  /// Adds the amount that a reader will pass to Afford here.
  void Cost(uint64_t bytes) { cost_ += bytes; }

  /// Ends a chunk of `records` records, padded as its cost requires.
  [[nodiscard]] std::vector<uint8_t> Take(uint32_t records) {
    const uint64_t free = uint64_t{records} * kCostPerRecord;
    const uint64_t least = cost_ <= free ? 0 : (cost_ - free + kCostPerByte - 1) / kCostPerByte;
    if (bytes_.size() < least) bytes_.resize(least);
    return std::move(bytes_);
  }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t cost_ = 0;
};

/// Reads a chunk from its first byte to its last. Reading past the end is kIndex, as is memory beyond the chunk's
/// decoding cost. A view; not thread-safe.
class ChunkReader {
 public:
  ChunkReader(ByteView bytes, uint32_t records)
      : bytes_(bytes), left_(kCostPerRecord * records + kCostPerByte * bytes.size()) {}

  [[nodiscard]] Result<uint8_t> Byte() {
    if (at_ == bytes_.size()) return Damaged("ends too early");
    return bytes_[at_++];
  }

  [[nodiscard]] Result<uint64_t> Varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      OFINDEX_ASSIGN(const uint8_t byte, Byte());
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return Damaged("a number is too long");
  }

  [[nodiscard]] Result<int64_t> Signed() {
    OFINDEX_ASSIGN(const uint64_t value, Varint());
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }

  [[nodiscard]] Result<ByteView> Bytes(uint64_t n) {
    if (!Fits(at_, n, bytes_.size())) return Damaged("ends too early");
    const ByteView bytes = bytes_.subspan(at_, n);
    at_ += n;
    return bytes;
  }

  /// Must be called before memory is allocated in proportion to a number that was read.
  [[nodiscard]] Result<void> Afford(uint64_t count, uint64_t bytes_each = 1) {
    if (count > left_ / bytes_each) return Damaged("needs more memory than its size justifies");
    left_ -= count * bytes_each;
    return {};
  }

  /// Succeeds if only padding is left.
  [[nodiscard]] Result<void> End() {
    for (; at_ < bytes_.size(); ++at_) {
      if (bytes_[at_] != 0) return Damaged("has bytes after its end");
    }
    return {};
  }

  /// Returns the error for the item read last.
  [[nodiscard]] tl::unexpected<Error> Damaged(std::string_view what) const {
    return Fail(ErrorCode::kIndex, StrCat("column chunk@", at_, ": ", what), kHint);
  }
  [[nodiscard]] tl::unexpected<Error> Unknown(std::string_view what, uint8_t number) const {
    return Fail(ErrorCode::kIndex, StrCat("column chunk@", at_, ": unknown ", what, " ", number), kHint);
  }

 private:
  static constexpr char kHint[] = "rebuild the index with `ofindex build --force`";

  ByteView bytes_;
  uint64_t at_ = 0;
  uint64_t left_;
};

}  // namespace ofindex
