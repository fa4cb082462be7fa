#include "tools/show/wire_values.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "proto/wire/varint.h"
#include "tools/show/wire_words.h"

namespace ofindex {
namespace {

constexpr size_t kMaxText = 64;  // for a value shown as one text

// A key is shown as text; so are other bytes that look like text, up to a length. Anything else is a hexdump.
void AddBytes(WireRows& rows, ByteView bytes, int depth, bool is_key) {
  if (bytes.empty()) return;
  const std::string_view text = AsText(bytes);
  const bool as_text = text.size() <= kMaxText && (is_key || (IsUtf8(text) && text == Printable(text)));
  if (!as_text) return rows.AddHexDump(bytes, depth);
  std::string quoted = StrCat("\"", Printable(text), "\"");
  if (bytes.size() <= WireRows::kNarrow) return rows.AddNarrow(bytes, depth, quoted);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kHexRow, bytes.size()))) {
    rows.AddWide(bytes.first(std::min(kHexRow, bytes.size())), quoted);
    quoted.clear();
  }
}

}  // namespace

void AddValue(WireRows& rows, ByteView value, int depth, WireType type, Holds holds) {
  if (!rows.shown()) return;
  const bool is_integer = holds == Holds::kInt32 || holds == Holds::kInt64;
  switch (type) {
    case WireType::kBytes: return AddBytes(rows, value, depth, holds == Holds::kKey);
    case WireType::kVarint:
      return rows.AddNarrow(value, depth, is_integer ? IntegerText(value, holds) : VarintText(value));
    default: return rows.AddNarrow(value, depth, FixedText(value, holds));
  }
}

PackedRows::PackedRows(WireReader list, ByteView chunk, Holds holds) : chunk_(chunk), holds_(holds) {
  switch (WrittenAs(holds)) {
    case WireType::kFixed32: ReadFixed(list, 4); break;
    case WireType::kFixed64: ReadFixed(list, 8); break;
    default: ReadVarints(list);
  }
}

void PackedRows::ReadFixed(WireReader& list, size_t size) {
  ok_ = chunk_.size() % size == 0 || list.Reject(WireFault::kPackedSize, chunk_);
  if (!ok_) chunk_ = {};
  count_ = chunk_.size() / size;
  wide_ = chunk_.size() > WireRows::kNarrow;
}

void PackedRows::ReadVarints(const WireReader& list) {
  WireReader packed = list.Packed(chunk_);
  ByteView sound = chunk_;
  for (uint64_t value = 0; packed.NextVarint(&value); ++count_) sound = packed.rest();
  ok_ = packed.ok();
  chunk_ = chunk_.first(chunk_.size() - (ok_ ? 0 : count_ == 0 ? chunk_.size() : sound.size()));
  for (ByteView rest = chunk_; !rest.empty() && !wide_; rest = rest.subspan(Row(rest).size())) {
    wide_ = Row(rest).size() > WireRows::kNarrow;
  }
}

std::string PackedRows::text() const {
  return ok_ ? StrCat(": ", count_, count_ == 1 ? " packed value" : " packed values") : ": packed";
}

bool PackedRows::Add(WireRows& rows, int depth) const {
  for (ByteView rest = chunk_; !rest.empty() && rows.shown();) {
    const ByteView row = Row(rest);
    wide_ ? rows.AddWide(row, Text(row)) : rows.AddNarrow(row, depth, Text(row));
    rest = rest.subspan(row.size());
  }
  return ok_;
}

// A varint of several bytes gets its own row.
ByteView PackedRows::Row(ByteView rest) const {
  if (WrittenAs(holds_) != WireType::kVarint) return rest.first(std::min(kHexRow, rest.size()));
  const auto end = rest.begin() + static_cast<ptrdiff_t>(std::min(kHexRow, rest.size()));
  const auto several = std::find_if(rest.begin(), end, [](uint8_t byte) { return byte >= 0x80; });
  if (several != rest.begin()) return {rest.begin(), several};
  uint64_t value = 0;
  return rest.first(TakeVarint(rest.first(std::min<size_t>(rest.size(), 10)), &value));
}

std::string PackedRows::Text(ByteView row) const {
  if (WrittenAs(holds_) == WireType::kVarint && row[0] >= 0x80) return IntegerText(row, holds_);
  const size_t size = WrittenAs(holds_) == WireType::kVarint ? 1 : WrittenAs(holds_) == WireType::kFixed32 ? 4 : 8;
  std::string text;
  for (; !row.empty(); row = row.subspan(size)) {
    const ByteView value = row.first(size);
    text += StrCat(text.empty() ? "" : " ", size == 1 ? VarintText(value) : FixedText(value, holds_));
  }
  return text;
}

}  // namespace ofindex
