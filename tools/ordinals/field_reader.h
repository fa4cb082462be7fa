#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "tools/ordinals/byte_reader.h"

namespace ofindex {

/// A field of CSV, as RFC 4180 has it, quotes removed.
struct FieldRead {
  std::string text;
  bool ends_row = false;
};

/// Reads the next field, and moves past the comma or line end after it. Keeps the first 64 bytes of its text, without
/// spaces before it. Line ends are LF or CRLF; quoted fields may contain them. A field of more than `most` bytes is cut
/// there, and ends its row. Errors: those of ByteReader.
[[nodiscard]] Result<FieldRead> ReadField(ByteReader& bytes, uint64_t most = UINT64_MAX);

}  // namespace ofindex
