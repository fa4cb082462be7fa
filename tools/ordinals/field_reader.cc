#include "tools/ordinals/field_reader.h"

#include <utility>

namespace ofindex {

Result<FieldRead> ReadField(ByteReader& bytes, uint64_t most, std::string begun) {
  FieldRead field{.text = std::move(begun)};
  bool has_quotes = false;  // around it
  bool within = false;      // them
  bool closed = false;      // by the byte before
  bool kept = true;         // all of it
  for (uint64_t read = 0;; ++read) {
    OFINDEX_ASSIGN(const int byte, bytes.Peek());
    const bool ends = byte == ByteReader::kEnd || (!within && (byte == ',' || byte == '\n'));
    if (!ends && read == most) {
      field.end = FieldEnd::kCut;
      return field;
    }
    if (byte != ByteReader::kEnd) bytes.Skip();
    if (ends) {
      if (byte == ',') field.end = FieldEnd::kComma;
      if (within) field.end = FieldEnd::kUnended;
      break;
    }
    const bool opens = byte == '"' && !has_quotes && field.text.empty();
    if (opens || (byte == '"' && within)) {
      closed = within;
      within = !within;
      has_quotes = true;
      continue;
    }
    if (byte == '"' && closed) within = true;  // two quotes stand for one
    closed = false;
    if (byte == ' ' && field.text.empty() && !has_quotes) continue;
    kept = field.text.size() <= kMaxOrdinalBytes;
    if (kept) field.text += static_cast<char>(byte);
  }
  if (field.end == FieldEnd::kRow && kept && field.text.ends_with('\r')) field.text.pop_back();
  return field;
}

}  // namespace ofindex
