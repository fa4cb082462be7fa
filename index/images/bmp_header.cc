#include <limits>

#include "base/bytes.h"
#include "index/images/format_readers.h"

// Microsoft's BITMAPFILEHEADER, of 14 bytes, then a header that begins with its own size: 12 is BITMAPCOREHEADER, 16
// and 64 are OS/2's second version, 40 is BITMAPINFOHEADER, and 52, 56, 108 and 124 are its extensions. Numbers are
// little-endian.

namespace ofindex {
namespace {

// Offsets in the file; those of core headers are the smaller ones.
constexpr uint64_t kBmpInfoAt = 14;
constexpr uint64_t kBmpWidthAt = 18;
constexpr uint64_t kBmpCoreHeightAt = 20;
constexpr uint64_t kBmpHeightAt = 22;
constexpr uint64_t kBmpCoreBitsAt = 24;
constexpr uint64_t kBmpBitsAt = 28;
constexpr uint64_t kBmpCompressionAt = 30;
constexpr uint64_t kBmpAlphaMaskAt = 66;

constexpr uint32_t kBmpBitfields = 3;
constexpr uint32_t kBmpAlphaBitfields = 6;

bool IsBmpHeaderSize(uint32_t size) {
  for (const uint32_t known : {12U, 16U, 40U, 52U, 56U, 64U, 108U, 124U}) {
    if (size == known) return true;
  }
  return false;
}

bool IsBmpDepth(uint16_t bits) {
  for (const uint32_t known : {1U, 2U, 4U, 8U, 16U, 24U, 32U}) {
    if (bits == known) return true;
  }
  return false;
}

// A negative height is that of an image whose first row is the topmost.
std::optional<uint32_t> BmpHeight(uint32_t number) {
  if (number == uint32_t{1} << 31) return std::nullopt;
  return UnlessZero(number >> 31 == 0 ? number : ~number + 1);
}

// An image of 32 bits a pixel has alpha if it has a mask for it, which headers of 56 bytes and more have; otherwise the
// last byte of a pixel is not used.
std::optional<uint32_t> ChannelsOfBmp(ImageBytes& image, uint32_t size, uint16_t bits) {
  if (!IsBmpDepth(bits)) return std::nullopt;
  if (bits != 32 || size < 40 || size == 64) return 3;
  const uint8_t* const p = image.At(kBmpCompressionAt, 4);
  if (p == nullptr) return std::nullopt;
  const uint32_t compression = LoadLe32(p);
  const bool masked = (compression == kBmpBitfields && size >= 56) || compression == kBmpAlphaBitfields;
  if (!masked) return 3;
  const uint8_t* const mask = image.At(kBmpAlphaMaskAt, 4);
  if (mask == nullptr) return std::nullopt;
  return LoadLe32(mask) == 0 ? 3 : 4;
}

void ReadBmpCore(ImageBytes& image, ImageHeader& header) {
  if (const uint8_t* const p = image.At(kBmpWidthAt, 2)) header.width = UnlessZero(LoadLe16(p));
  if (const uint8_t* const p = image.At(kBmpCoreHeightAt, 2)) header.height = UnlessZero(LoadLe16(p));
  const uint8_t* const bits = image.At(kBmpCoreBitsAt, 2);
  if (bits != nullptr && IsBmpDepth(LoadLe16(bits))) header.channels = 3;
}

void ReadBmpInfo(ImageBytes& image, uint32_t size, ImageHeader& header) {
  if (const uint8_t* const p = image.At(kBmpWidthAt, 4)) {
    const uint32_t width = LoadLe32(p);
    if (width <= static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) header.width = UnlessZero(width);
  }
  if (const uint8_t* const p = image.At(kBmpHeightAt, 4)) header.height = BmpHeight(LoadLe32(p));
  if (const uint8_t* const p = image.At(kBmpBitsAt, 2)) header.channels = ChannelsOfBmp(image, size, LoadLe16(p));
}

}  // namespace

void ReadBmpHeader(ImageBytes& image, ImageHeader& header) {
  const uint8_t* const p = image.At(kBmpInfoAt, 4);
  if (p == nullptr || !IsBmpHeaderSize(LoadLe32(p))) return;
  header.format = "bmp";
  const uint32_t size = LoadLe32(p);
  return size == 12 ? ReadBmpCore(image, header) : ReadBmpInfo(image, size, header);
}

}  // namespace ofindex
