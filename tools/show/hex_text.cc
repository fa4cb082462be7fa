#include "tools/show/hex_text.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {

std::string HexColumns(ByteView row) {
  std::string hex(3 * kHexRow + 1, ' ');
  const std::string digits = ToHex(row);
  for (size_t i = 0; i < row.size(); ++i) hex.replace(3 * i + (i < 8 ? 0 : 1), 2, digits, 2 * i, 2);
  return hex;
}

std::string HexText(ByteView row) {
  std::string text = "|";
  for (const uint8_t byte : row) text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
  return text + "|";
}

std::string HexOffset(uint64_t offset) {
  const std::string digits = ToHex(offset);
  return digits.substr(std::min<size_t>(digits.find_first_not_of('0'), 8));
}

}  // namespace ofindex
