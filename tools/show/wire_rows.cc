#include "tools/show/wire_rows.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kNarrowPlaces = 3 * WireRows::kNarrow + 1;

std::string Narrow(ByteView bytes) {
  std::string hex(kNarrowPlaces, ' ');
  const std::string digits = ToHex(bytes);
  for (size_t i = 0; i < bytes.size(); ++i) hex.replace(3 * i, 2, digits, 2 * i, 2);
  return hex;
}

}  // namespace

void WireRows::AddNarrow(ByteView bytes, int depth, std::string_view text) {
  if (shown()) Add(bytes, StrCat(Narrow(bytes), std::string(static_cast<size_t>(depth) * 2, ' '), text));
}

void WireRows::AddWide(ByteView bytes, std::string_view text) {
  if (shown()) Add(bytes, StrCat(HexColumns(bytes), " ", text));
}

void WireRows::AddHexDump(ByteView bytes, int depth) {
  const bool wide = bytes.size() > kNarrow;
  for (; !bytes.empty() && shown(); bytes = bytes.subspan(std::min(kHexRow, bytes.size()))) {
    const ByteView row = bytes.first(std::min(kHexRow, bytes.size()));
    wide ? AddWide(row, HexText(row)) : AddNarrow(row, depth, HexText(row));
  }
}

void WireRows::EndRun() {
  if (folded_) Write(HexOffset(static_cast<uint64_t>(bytes_.data() - origin_) + bytes_.size()));
  folded_ = false;
  text_.clear();
}

// The bytes need no comparison: they are part of the text.
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
