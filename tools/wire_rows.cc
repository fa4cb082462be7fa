#include "tools/wire_rows.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kNarrowPlaces = 3 * WireRows::kNarrow + 1;

std::string Narrow(ByteView bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes.size(); ++i) hex += ToHex(bytes.subspan(i, 1)) + " ";
  hex.resize(kNarrowPlaces, ' ');
  return hex;
}

}  // namespace

void WireRows::AddNarrow(ByteView bytes, int depth, std::string_view text) {
  if (shown_) Add(bytes, StrCat(Narrow(bytes), std::string(static_cast<size_t>(depth) * 2, ' '), text));
}

void WireRows::AddWide(ByteView bytes, std::string_view text) {
  if (shown_) Add(bytes, StrCat(HexColumns(bytes), " ", text));
}

void WireRows::AddHexDump(ByteView bytes, int depth) {
  if (!shown_) return;
  const bool wide = bytes.size() > kNarrow;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kHexRow, bytes.size()))) {
    const ByteView row = bytes.first(std::min(kHexRow, bytes.size()));
    wide ? AddWide(row, HexText(row)) : AddNarrow(row, depth, HexText(row));
  }
}

void WireRows::EndStretch() {
  if (folded_) Write(HexOffset(static_cast<uint64_t>(bytes_.data() - origin_) + bytes_.size()));
  folded_ = false;
  text_.clear();
}

// The bytes need no comparison: the text has them.
void WireRows::Add(ByteView bytes, std::string_view text) {
  bytes_ = bytes;
  if (text == text_ && !bytes.empty()) {
    if (!folded_) Write("*");
    folded_ = true;
    return;
  }
  folded_ = false;
  text_ = text.substr(0, text.find_last_not_of(' ') + 1);
  Write(StrCat(HexOffset(static_cast<uint64_t>(bytes.data() - origin_)), "  ", text_));
  text_ = text;
}

void WireRows::Write(std::string_view line) {
  if (written_) written_ = sink_(line);
}

}  // namespace ofindex
