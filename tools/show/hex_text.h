#pragma once

#include <cstddef>
#include <string>

#include "base/bytes.h"

namespace ofindex {

/// Bytes in a full row of a hexdump.
inline constexpr size_t kHexRow = 16;

/// `row`, at most 16 bytes, as hexdump shows them: padded to the 49 places that sixteen take.
[[nodiscard]] std::string HexColumns(ByteView row);

/// The text beside them: bytes that are not printable ASCII are dots.
[[nodiscard]] std::string HexText(ByteView row);

/// Eight hexadecimal digits, or more where `offset` has more.
[[nodiscard]] std::string HexOffset(uint64_t offset);

}  // namespace ofindex
