#include "tools/show/wire_words.h"

#include <bit>

#include "base/text.h"
#include "proto/wire/varint.h"
#include "tools/show/number_text.h"

namespace ofindex {
namespace {

uint64_t Value(ByteView varint) {
  uint64_t value = 0;
  static_cast<void>(TakeVarint(varint, &value));
  return value;
}

std::string Hex(uint64_t value, size_t digits) { return StrCat("0x", ToHex(value).substr(16 - digits)); }

// Returns the 7-bit groups of a varint: "0x2c | 0x02 << 7".
std::string Parts(ByteView varint) {
  std::string text;
  for (size_t i = 0; i < varint.size(); ++i) {
    text += StrCat(i == 0 ? "" : " | ", Hex(varint[i] & 0x7fU, 2));
    if (i > 0) text += StrCat(" << ", 7 * i);
  }
  return text;
}

// A varint of ten bytes has 70 bits, six more than a value.
std::string_view DroppedBits(ByteView varint) {
  return varint.size() == 10 && varint[9] > 1 ? " (bits above 64 dropped)" : "";
}

}  // namespace

std::string_view WireTypeName(WireType type) {
  switch (type) {
    case WireType::kVarint: return "VARINT";
    case WireType::kFixed64: return "I64";
    case WireType::kBytes: return "LEN";
    case WireType::kGroup: return "SGROUP";
    case WireType::kEndGroup: return "EGROUP";
    case WireType::kFixed32: return "I32";
  }
  return "no wire type";
}

std::string VarintText(ByteView varint) {
  const std::string value = std::to_string(Value(varint));
  return varint.size() == 1 ? value : StrCat(Parts(varint), " = ", value, DroppedBits(varint));
}

std::string IntegerText(ByteView varint, Holds holds) {
  const uint64_t bits = Value(varint);
  const auto integer = static_cast<int64_t>(bits);
  const bool cut = holds == Holds::kInt32 && integer != static_cast<int32_t>(integer);
  if (!cut && integer >= 0) return VarintText(varint);
  const std::string whole = StrCat(Parts(varint), " = ", Hex(bits, 16), DroppedBits(varint));
  if (!cut) return StrCat(whole, " = ", integer);
  return StrCat(whole, ", of which int32 has ", Hex(bits & 0xffffffffU, 8), " = ", static_cast<int32_t>(bits));
}

std::string FixedText(ByteView bytes, Holds holds) {
  const bool wide = bytes.size() == 8;
  const uint64_t bits = wide ? LoadLe64(bytes.data()) : LoadLe32(bytes.data());
  if (holds == Holds::kFloat) return Shortest(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (holds == Holds::kDouble) return Shortest(std::bit_cast<double>(bits));
  return Hex(bits, wide ? 16 : 8);
}

std::string TagText(ByteView tag) {
  const uint64_t whole = Value(tag);
  const auto kept = static_cast<uint32_t>(whole);
  const uint32_t number = kept >> 3;
  const std::string made = tag.size() == 1 ? "" : StrCat(Parts(tag), " = ");
  return StrCat("field ", number, ", ", WireTypeName(static_cast<WireType>(kept & 7)), " (", made, number, " << 3 | ",
                kept & 7, kept == whole ? ")" : ", bits above 32 dropped)");
}

std::string LengthText(ByteView varint) {
  const uint64_t length = Value(varint);
  return StrCat(VarintText(varint), length == 1 ? " byte" : " bytes");
}

}  // namespace ofindex
