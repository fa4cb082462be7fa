#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "proto/wire/wire.h"
#include "tools/show/wire_fields.h"

namespace ofindex {

// Wire format in words. Varints are given as they stand, 1 to 10 bytes, and are sound.

/// What a varint of several bytes is made of, and its value: ac 02 -> "0x2c | 0x02 << 7 = 300"; of one byte the value.
[[nodiscard]] std::string VarintText(ByteView varint);

/// The same of a value: integers with their sign, those of 32 bits cut to them, as protobuf does.
[[nodiscard]] std::string IntegerText(ByteView varint, Holds holds);

/// 4 or 8 bytes, little-endian: a float, a double, or bits of which nothing is known.
[[nodiscard]] std::string FixedText(ByteView bytes, Holds holds);

/// What protobuf's documentation calls `type`, the lowest three bits of a tag.
[[nodiscard]] std::string_view WireTypeName(WireType type);

/// What a tag says: "field 1, LEN (1 << 3 | 2)".
[[nodiscard]] std::string TagText(ByteView tag);

/// What a length says: "9 bytes".
[[nodiscard]] std::string LengthText(ByteView varint);

}  // namespace ofindex
