#include "tools/show/wire_rows.h"

#include <algorithm>

#include "base/progress.h"
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

// Returns the bytes, and their meaning indented by depth.
std::string Content(const WireRow& row) {
  if (row.form == WireRow::Form::kWide) return StrCat(HexColumns(row.bytes), " ", row.text);
  return StrCat(Narrow(row.bytes), std::string(static_cast<size_t>(row.depth) * 2, ' '), row.field,
                row.field.empty() ? "" : ": ", row.text);
}

}  // namespace

std::string LineOf(const WireRow& row) {
  if (row.form == WireRow::Form::kRepeats) return "*";
  if (row.form == WireRow::Form::kEnd) return HexOffset(row.offset);
  const std::string content = Content(row);
  return StrCat(HexOffset(row.offset), "  ", content.substr(0, content.find_last_not_of(' ') + 1));
}

void WireRows::AddNarrow(ByteView bytes, int depth, std::string_view text, std::string_view field) {
  if (!shown()) return;
  Add({.form = WireRow::Form::kNarrow,
       .offset = OffsetOf(bytes),
       .bytes = bytes,
       .depth = depth,
       .field = field,
       .text = text});
}

void WireRows::AddWide(ByteView bytes, std::string_view text) {
  if (!shown()) return;
  Add({.form = WireRow::Form::kWide, .offset = OffsetOf(bytes), .bytes = bytes, .text = text});
}

void WireRows::AddHexDump(ByteView bytes, int depth) {
  const bool wide = bytes.size() > kNarrow;
  for (; !bytes.empty() && shown(); bytes = bytes.subspan(std::min(kHexRow, bytes.size()))) {
    const ByteView row = bytes.first(std::min(kHexRow, bytes.size()));
    wide ? AddWide(row, HexText(row)) : AddNarrow(row, depth, HexText(row));
  }
}

void WireRows::EndRun() {
  if (folded_) Write({.form = WireRow::Form::kEnd, .offset = last_.offset + last_.bytes.size()});
  folded_ = false;
  any_ = false;
}

bool WireRows::IsLast(const WireRow& row) const {
  return any_ && row.form == last_.form && row.depth == last_.depth && row.field == field_ && row.text == text_ &&
         std::equal(row.bytes.begin(), row.bytes.end(), last_.bytes.begin(), last_.bytes.end());
}

void WireRows::Add(const WireRow& row) {
  // The sink does not see rows that repeat, however many there are.
  if (cancel_ != nullptr && *cancel_ && written_) written_ = Interrupted();
  const bool repeats = !row.bytes.empty() && IsLast(row);
  last_ = row;
  if (repeats) {
    if (!folded_) Write({.form = WireRow::Form::kRepeats, .offset = row.offset});
    folded_ = true;
    return;
  }
  folded_ = false;
  any_ = true;
  field_ = row.field;
  text_ = row.text;
  Write(row);
}

void WireRows::Write(const WireRow& row) {
  if (written_) written_ = sink_(row);
}

}  // namespace ofindex
