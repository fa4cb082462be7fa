#include <string_view>

#include "base/bytes.h"
#include "index/images/format_readers.h"

// RFC 9649: a RIFF file whose first chunk, at byte 12, tells which of three kinds of image it is. Its content begins at
// byte 20. Numbers are little-endian.

namespace ofindex {
namespace {

constexpr uint64_t kWebpContentAt = 20;

// Lossy: the header of a VP8 key frame (RFC 6386, 9.1). The two upper bits of a side are a scale for display.
void ReadLossyWebp(ImageBytes& image, ImageHeader& header) {
  const uint8_t* const tag = image.At(kWebpContentAt, 6);
  const bool key_frame = tag != nullptr && (tag[0] & 1) == 0;
  if (!key_frame || AsText({tag + 3, 3}) != "\x9d\x01\x2a") return;
  header.channels = 3;
  if (const uint8_t* const width = image.At(kWebpContentAt + 6, 2))
    header.width = UnlessZero(LoadLe16(width) & 0x3fffU);
  if (const uint8_t* const height = image.At(kWebpContentAt + 8, 2))
    header.height = UnlessZero(LoadLe16(height) & 0x3fffU);
}

// Lossless: 14 bits of width - 1, 14 bits of height - 1, 1 bit for alpha, 3 bits of version, which is 0.
void ReadLosslessWebp(ImageBytes& image, ImageHeader& header) {
  const uint8_t* const content = image.At(kWebpContentAt, 5);
  if (content == nullptr || content[0] != 0x2f) return;
  const uint32_t bits = LoadLe32(content + 1);
  if (bits >> 29 != 0) return;
  header.width = (bits & 0x3fff) + 1;
  header.height = (bits >> 14 & 0x3fff) + 1;
  header.channels = (bits >> 28 & 1) != 0 ? 4 : 3;
}

// Extended: a byte of flags, three that are reserved, then 24 bits of width - 1 and of height - 1 of the canvas.
void ReadExtendedWebp(ImageBytes& image, ImageHeader& header) {
  constexpr uint8_t kAlpha = 0x10;
  const auto side = [&](uint64_t at) -> std::optional<uint32_t> {
    const uint8_t* const p = image.At(at, 3);
    if (p == nullptr) return std::nullopt;
    return (uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16) + 1;
  };
  if (const uint8_t* const flags = image.At(kWebpContentAt, 1)) header.channels = (*flags & kAlpha) != 0 ? 4 : 3;
  header.width = side(kWebpContentAt + 4);
  header.height = side(kWebpContentAt + 7);
}

}  // namespace

void ReadWebpHeader(ImageBytes& image, ImageHeader& header) {
  const uint8_t* const chunk = image.At(12, 4);
  if (chunk == nullptr) return;
  const std::string_view kind = AsText({chunk, 4});
  if (kind == "VP8 ") return ReadLossyWebp(image, header);
  if (kind == "VP8L") return ReadLosslessWebp(image, header);
  if (kind == "VP8X") return ReadExtendedWebp(image, header);
}

}  // namespace ofindex
