#pragma once

#include "index/images/image_bytes.h"
#include "index/images/image_header.h"

// The header of each format, for header_reader.h. A reader is called for an image that begins as the format requires,
// and sets in `header`, whose format is set, what else it finds.

namespace ofindex {

void ReadJpegHeader(ImageBytes& image, ImageHeader& header);
void ReadPngHeader(ImageBytes& image, ImageHeader& header);
void ReadGifHeader(ImageBytes& image, ImageHeader& header);
void ReadWebpHeader(ImageBytes& image, ImageHeader& header);

/// Also sets the format: two letters do not make a BMP, but its second header does.
void ReadBmpHeader(ImageBytes& image, ImageHeader& header);

/// `big_endian`: in which byte order; `big`: BigTIFF.
void ReadTiffHeader(ImageBytes& image, bool big_endian, bool big, ImageHeader& header);

/// Returns a side of an image or a number of channels; nullopt for 0, which stands for one that is not known.
[[nodiscard]] constexpr std::optional<uint32_t> UnlessZero(uint32_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

}  // namespace ofindex
