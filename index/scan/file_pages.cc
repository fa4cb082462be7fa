#include "index/scan/file_pages.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"

namespace ofindex {

const uint8_t* FilePages::At(uint64_t offset, uint64_t n, uint64_t& available) {
  if (!Fits(offset, n, length_)) return nullptr;
  if (offset < at_ || offset + n > at_ + filled_) {
    if (!Fill(offset, n)) return nullptr;
  }
  available = at_ + filled_ - offset;
  return buffer_.data() + (offset - at_);
}

bool FilePages::Fill(uint64_t offset, uint64_t n) {
  const uint64_t bytes = std::min(std::max(n, kPageBytes), length_ - offset);
  if (buffer_.size() < bytes) buffer_.resize(bytes);
  const auto got = bytes_.ReadAt(begin_ + offset, std::span(buffer_).first(bytes));
  at_ = offset;
  filled_ = got ? *got : 0;
  if (got && *got == bytes) return true;
  error_ = got ? Error{ErrorCode::kStale, StrCat(Printable(bytes_.path()), "@", begin_ + offset + *got,
                                                 ": the file ends inside a record that was indexed")}
               : got.error();
  return false;
}

Error FilePages::TakeError() {
  if (error_) return std::move(*error_);
  return {ErrorCode::kIo, StrCat(Printable(bytes_.path()), "@", begin_, ": cannot read the record"),
          "check the disk that holds the file, and run it again"};
}

}  // namespace ofindex
