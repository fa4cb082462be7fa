#pragma once

#include <cstddef>
#include <string>

#include "base/bytes.h"

namespace ofindex {

/// Bytes in a full row of a hexdump.
inline constexpr size_t kHexRow = 16;

/// Returns `row`, at most 16 bytes, as hexdump shows it, padded to the 49 characters that sixteen bytes take.
[[nodiscard]] std::string HexColumns(ByteView row);

/// Returns the text column of hexdump: bytes that are not printable ASCII are dots.
[[nodiscard]] std::string HexText(ByteView row);

/// Returns `offset` in eight hexadecimal digits, or more if needed.
[[nodiscard]] std::string HexOffset(uint64_t offset);

}  // namespace ofindex
