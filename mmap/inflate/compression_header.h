#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// The first bytes of a gzip member, including method 8 (RFC 1952, 2.3).
inline constexpr std::array<uint8_t, 3> kGzipMagic = {0x1f, 0x8b, 8};

/// Returns true if the two bytes are a zlib header: method 8, a window of at most 32 KiB, no preset dictionary, and a
/// multiple of 31 as a 16-bit number (RFC 1950, 2.2).
[[nodiscard]] constexpr bool IsZlibHeader(unsigned first, unsigned second) {
  return (first & 15) == 8 && first >> 4 <= 7 && (second & 32) == 0 && (first * 256 + second) % 31 == 0;
}

/// Returns the compression whose header `head` begins with. A header proves nothing: 1f 8b 08 00 ... may also begin an
/// OFRecord of 559,903 bytes, and 78 9c ... one of 40,056 bytes. A raw deflate stream has no header.
[[nodiscard]] constexpr std::optional<Compression> CompressionHeader(ByteView head) {
  const bool gzip =
      head.size() >= 3 && head[0] == kGzipMagic[0] && head[1] == kGzipMagic[1] && head[2] == kGzipMagic[2];
  if (gzip) return Compression::kGzip;
  if (head.size() >= 2 && IsZlibHeader(head[0], head[1])) return Compression::kZlib;
  return std::nullopt;
}

}  // namespace ofindex
