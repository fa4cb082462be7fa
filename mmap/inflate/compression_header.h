#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// What a gzip member begins with, method 8 included (RFC 1952, 2.3).
inline constexpr std::array<uint8_t, 3> kGzipMagic = {0x1f, 0x8b, 8};

/// True if two bytes are a zlib header: method 8, a window of 32 KiB at the most, no preset dictionary, and together a
/// multiple of 31 (RFC 1950, 2.2).
[[nodiscard]] constexpr bool IsZlibHeader(unsigned first, unsigned second) {
  return (first & 15) == 8 && first >> 4 <= 7 && (second & 32) == 0 && (first * 256 + second) % 31 == 0;
}

/// The compression whose header `head` begins with. A header proves nothing: 1f 8b 08 00 ... is also an OFRecord of
/// 559,903 bytes, 78 9c ... one of 40,056. A bare deflate stream has none.
[[nodiscard]] constexpr std::optional<Compression> CompressionHeader(ByteView head) {
  const bool gzip =
      head.size() >= 3 && head[0] == kGzipMagic[0] && head[1] == kGzipMagic[1] && head[2] == kGzipMagic[2];
  if (gzip) return Compression::kGzip;
  if (head.size() >= 2 && IsZlibHeader(head[0], head[1])) return Compression::kZlib;
  return std::nullopt;
}

}  // namespace ofindex
