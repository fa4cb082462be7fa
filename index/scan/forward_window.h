#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/text.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// A forward-moving window on a shard, read in large pieces. Not thread-safe.
class ForwardWindow {
 public:
  /// Reads the bytes before `end`, `at_once` bytes at a time. `bytes` must outlive the window.
  ForwardWindow(const ReadableBytes& bytes, uint64_t end, uint64_t at_once)
      : bytes_(bytes), end_(end), buffer_(std::min(at_once, end)) {}

  /// Returns the `n` bytes at `offset`, or as many as the window holds if that is fewer. Valid until the next call.
  /// Errors: kIo; kStale if the file ends before `offset` + `n`.
  [[nodiscard]] Result<ByteView> At(uint64_t offset, uint64_t n) {
    const uint64_t wanted = std::min<uint64_t>(n, buffer_.size());
    if (offset < begin_ || offset + wanted > begin_ + filled_) OFINDEX_TRY(Fill(offset, wanted));
    return ByteView(buffer_).subspan(offset - begin_, wanted);
  }

 private:
  [[nodiscard]] Result<void> Fill(uint64_t offset, uint64_t wanted) {
    const auto room = std::span(buffer_).first(std::min<uint64_t>(buffer_.size(), end_ - offset));
    OFINDEX_ASSIGN(filled_, bytes_.ReadAt(offset, room));
    begin_ = offset;
    if (filled_ >= wanted) return {};
    return Fail(ErrorCode::kStale, StrCat(Printable(bytes_.path()), "@", offset + filled_,
                                          ": the file ends inside a record that was indexed"));
  }

  const ReadableBytes& bytes_;
  const uint64_t end_;
  std::vector<uint8_t> buffer_;
  uint64_t begin_ = 0;
  uint64_t filled_ = 0;
};

}  // namespace ofindex
