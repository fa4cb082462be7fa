#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "proto/wire/wire.h"
#include "tools/show/wire_fields.h"

namespace ofindex {

// Wire format in words. Varints are valid and unchanged, 1 to 10 bytes long.

/// Returns the parts of a varint of several bytes, and its value: ac 02 -> "0x2c | 0x02 << 7 = 300"; for one byte only
/// the value.
[[nodiscard]] std::string VarintText(ByteView varint);

/// Returns the same for a value: integers with their sign, 32-bit ones truncated as protobuf does.
[[nodiscard]] std::string IntegerText(ByteView varint, Holds holds);

/// Returns 4 or 8 little-endian bytes as a float, a double, or bits of unknown meaning.
[[nodiscard]] std::string FixedText(ByteView bytes, Holds holds);

/// Returns the name that protobuf's documentation gives to a wire type, the lowest three bits of a tag.
[[nodiscard]] std::string_view WireTypeName(WireType type);

/// Describes a tag: "field 1, LEN (1 << 3 | 2)".
[[nodiscard]] std::string TagText(ByteView tag);

/// Describes a length: "9 bytes".
[[nodiscard]] std::string LengthText(ByteView varint);

}  // namespace ofindex
