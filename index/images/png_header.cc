#include <string_view>

#include "base/bytes.h"
#include "index/images/format_readers.h"

// W3C Portable Network Graphics, 11.2.1: the first chunk is IHDR, of 13 bytes: u32 width, u32 height, u8 bit depth, u8
// color type, and three more. Numbers are big-endian.

namespace ofindex {
namespace {

uint32_t PngNumber(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
}

// Sides are at most 2^31 - 1.
std::optional<uint32_t> PngSide(const uint8_t* p) {
  const uint32_t side = PngNumber(p);
  return side >> 31 == 0 ? UnlessZero(side) : std::nullopt;
}

std::optional<uint32_t> ChannelsOfPng(uint8_t color_type) {
  switch (color_type) {
    case 0: return 1;  // gray
    case 2: return 3;  // RGB
    case 3: return 3;  // indexes into a palette of RGB
    case 4: return 2;  // gray, alpha
    case 6: return 4;  // RGB, alpha
    default: return std::nullopt;
  }
}

}  // namespace

void ReadPngHeader(ImageBytes& image, ImageHeader& header) {
  const uint8_t* const chunk = image.At(8, 8);
  if (chunk == nullptr || PngNumber(chunk) != 13 || AsText({chunk + 4, 4}) != "IHDR") return;
  if (const uint8_t* const width = image.At(16, 4)) header.width = PngSide(width);
  if (const uint8_t* const height = image.At(20, 4)) header.height = PngSide(height);
  if (const uint8_t* const color_type = image.At(25, 1)) header.channels = ChannelsOfPng(*color_type);
}

}  // namespace ofindex
