#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace ofindex {

// All files of this project are little-endian, and so are all supported machines, so loads are plain copies.
static_assert(std::endian::native == std::endian::little, "ofindex is built for little-endian machines");

/// Bytes owned by someone else; the owner determines how long they stay valid.
using ByteView = std::span<const uint8_t>;

/// Returns true if [offset, offset + n) lies in [0, size). Never wraps, for any arguments. This is the one bounds
/// check; every length from a file goes through it.
[[nodiscard]] constexpr bool Fits(uint64_t offset, uint64_t n, uint64_t size) {
  return n <= size && offset <= size - n;
}

[[nodiscard]] inline uint16_t LoadLe16(const uint8_t* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

[[nodiscard]] inline uint32_t LoadLe32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

[[nodiscard]] inline uint64_t LoadLe64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline void StoreLe32(uint8_t* p, uint32_t v) { std::memcpy(p, &v, sizeof v); }
inline void StoreLe64(uint8_t* p, uint64_t v) { std::memcpy(p, &v, sizeof v); }

[[nodiscard]] inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace ofindex
