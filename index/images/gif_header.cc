#include "base/bytes.h"
#include "index/images/format_readers.h"

// GIF89a, 18: after the signature, u16 width and u16 height of the logical screen, little-endian.

namespace ofindex {

void ReadGifHeader(ImageBytes& image, ImageHeader& header) {
  header.channels = 3;  // all images have palettes of RGB
  if (const uint8_t* const width = image.At(6, 2)) header.width = UnlessZero(LoadLe16(width));
  if (const uint8_t* const height = image.At(8, 2)) header.height = UnlessZero(LoadLe16(height));
}

}  // namespace ofindex
