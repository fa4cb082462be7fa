#include "tools/ordinals/field_reader.h"

namespace ofindex {
namespace {

constexpr size_t kMaxKept = 64;

}  // namespace

Result<FieldRead> ReadField(ByteReader& bytes, uint64_t most) {
  FieldRead field;
  bool quoted = false;
  int before = ByteReader::kEnd;
  for (uint64_t read = 0; read < most; ++read) {
    OFINDEX_ASSIGN(const int byte, bytes.Peek());
    if (byte == ByteReader::kEnd) break;
    bytes.Skip();
    if (!quoted && byte == ',') return field;
    if (!quoted && byte == '\n') break;
    const bool opens = !quoted && before == ByteReader::kEnd;
    const bool doubled = !quoted && before == '"';  // the quote before did not close the field
    if (byte == '"' && (quoted || opens || doubled)) quoted = !quoted;
    if (byte == ' ' && field.text.empty() && opens) continue;
    if ((byte != '"' || doubled) && field.text.size() < kMaxKept) field.text += static_cast<char>(byte);
    before = byte;
  }
  if (!quoted && field.text.ends_with('\r')) field.text.pop_back();
  field.ends_row = true;
  return field;
}

}  // namespace ofindex
