#include "index/catalog/hex_digits.h"

#include <charconv>

namespace ofindex {

std::optional<uint64_t> FromHex(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<Digest128> DigestFromHex(std::string_view digits) {
  if (digits.size() != 32) return std::nullopt;
  Digest128 digest{};
  for (size_t half = 0; half < 2; ++half) {
    const std::optional<uint64_t> value = FromHex(digits.substr(16 * half, 16));
    if (!value) return std::nullopt;
    for (size_t i = 0; i < 8; ++i) digest[8 * half + i] = static_cast<uint8_t>(*value >> (56 - 8 * i));
  }
  return digest;
}

}  // namespace ofindex
