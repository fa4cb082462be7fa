#include "tools/show/pieces/record_pieces.h"

#include <algorithm>

namespace ofindex {

void RecordPieces::Begin(const LentRecord& record) {
  record_ = &record;
  buffer_.clear();
  has_written_ = false;
}

Result<void> RecordPieces::Add(std::string_view text) {
  while (!text.empty()) {
    const size_t taken = std::min(text.size(), kPieceBytes - buffer_.size());
    buffer_ += text.substr(0, taken);
    text.remove_prefix(taken);
    if (buffer_.size() == kPieceBytes) OFINDEX_TRY(Flush());
  }
  return {};
}

Result<void> RecordPieces::Finish() { return buffer_.empty() ? record_->Check() : Flush(); }

Result<void> RecordPieces::Flush() {
  OFINDEX_TRY(record_->Check());
  has_written_ = true;
  OFINDEX_TRY(write_(AsBytes(buffer_)));
  buffer_.clear();
  return {};
}

}  // namespace ofindex
