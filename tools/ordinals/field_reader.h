#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "tools/ordinals/byte_reader.h"

namespace ofindex {

/// How a field of CSV ends.
enum class FieldEnd {
  kComma,   ///< the row has one more field
  kRow,     ///< a line end or the end of the file
  kCut,     ///< the field is longer than was allowed; its rest is not read
  kUnended  ///< the file ends within its quotes
};

/// A field of CSV, as RFC 4180 has it, quotes removed.
struct FieldRead {
  std::string text;
  FieldEnd end = FieldEnd::kRow;
};

/// Reads the next field, and moves past the comma or line end after it. Keeps the first bytes of its text, one more
/// than an ordinal may have, without spaces before it. Line ends are LF or CRLF; quoted fields may contain them. A
/// quote within a field that has none at its begin is text. At most `most` bytes of the field are read. `begun` is the
/// begin of the field, without quotes, if that was read already. Errors: those of ByteReader.
[[nodiscard]] Result<FieldRead> ReadField(ByteReader& bytes, uint64_t most = UINT64_MAX, std::string begun = {});

}  // namespace ofindex
