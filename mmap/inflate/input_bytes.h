#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"
#include "base/text.h"

namespace ofindex {

/// The bytes of a compressed file, read sequentially through a buffer. Not thread-safe.
class InputBytes {
 public:
  /// Reads the first `size` bytes of `file`, which must live until the next call of
  /// ReadFrom, or as long as this object.
  InputBytes(const File& file, uint64_t size) : file_(&file), size_(size), buffer_(kBufferBytes) {}

  /// Continues with another descriptor of the same file.
  void ReadFrom(const File& file) { file_ = &file; }

  /// The offset in the file of the next byte, and the total number of bytes.
  [[nodiscard]] uint64_t at() const { return begin_ + taken_; }
  [[nodiscard]] uint64_t size() const { return size_; }

  void Seek(uint64_t at) {
    begin_ = at;
    taken_ = filled_ = 0;
  }

  /// Returns all buffered bytes that are not consumed, and first refills an empty buffer. Empty only at the end of the
  /// file. Errors: kIo; kStale if the file is shorter than before.
  [[nodiscard]] Result<ByteView> Next() {
    if (taken_ == filled_) OFINDEX_TRY(Refill());
    return ByteView(buffer_).subspan(taken_, filled_ - taken_);
  }

  /// Consumes the first `n` of the bytes that Next() returns.
  void Take(size_t n) { taken_ += n; }

  /// Consumes one byte; nullopt at the end of the file. Errors: kIo.
  [[nodiscard]] Result<std::optional<uint8_t>> TakeByte() {
    OFINDEX_ASSIGN(const ByteView next, Next());
    if (next.empty()) return std::nullopt;
    Take(1);
    return next.front();
  }

  /// Consumes an `n`-byte little-endian number; nullopt if the file ends first. Errors: kIo.
  [[nodiscard]] Result<std::optional<uint64_t>> TakeNumber(int n) {
    uint64_t value = 0;
    for (int i = 0; i < n; ++i) {
      OFINDEX_ASSIGN(const std::optional<uint8_t> byte, TakeByte());
      if (!byte) return std::nullopt;
      value |= uint64_t{*byte} << (8 * i);
    }
    return value;
  }

 private:
  static constexpr size_t kBufferBytes = 64 << 10;

  [[nodiscard]] Result<void> Refill() {
    begin_ += taken_;
    taken_ = filled_ = 0;
    const uint64_t wanted = begin_ < size_ ? std::min<uint64_t>(buffer_.size(), size_ - begin_) : 0;
    if (wanted == 0) return {};
    OFINDEX_ASSIGN(const size_t got, file_->ReadAt(begin_, std::span(buffer_).first(wanted)));
    if (got != wanted) {
      return Fail(ErrorCode::kStale,
                  StrCat(Printable(file_->path()), "@", begin_ + got, ": the file shrinks while it is read"),
                  "run the command again when the file is no longer written to");
    }
    filled_ = got;
    return {};
  }

  const File* file_;
  const uint64_t size_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;  // byte of the file at which the buffer begins
  size_t taken_ = 0;
  size_t filled_ = 0;
};

}  // namespace ofindex
