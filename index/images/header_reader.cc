#include "index/images/header_reader.h"

#include <string_view>

#include "base/bytes.h"
#include "index/images/format_readers.h"

namespace ofindex {
namespace {

bool Begins(ImageBytes& image, uint64_t offset, std::string_view magic) {
  const uint8_t* bytes = image.At(offset, magic.size());
  return bytes != nullptr && AsText({bytes, magic.size()}) == magic;
}

}  // namespace

ImageHeader ReadImageHeader(ImageBytes& image) {
  using std::string_view_literals::operator""sv;
  ImageHeader header;
  if (Begins(image, 0, "\xff\xd8\xff")) {
    header.format = "jpeg";
    ReadJpegHeader(image, header);
  } else if (Begins(image, 0, "\x89PNG\r\n\x1a\n")) {
    header.format = "png";
    ReadPngHeader(image, header);
  } else if (Begins(image, 0, "GIF87a") || Begins(image, 0, "GIF89a")) {
    header.format = "gif";
    ReadGifHeader(image, header);
  } else if (Begins(image, 0, "RIFF") && Begins(image, 8, "WEBP")) {
    header.format = "webp";
    ReadWebpHeader(image, header);
  } else if (Begins(image, 0, "BM")) {
    ReadBmpHeader(image, header);
  } else {
    for (const bool big_endian : {false, true}) {
      const bool classic = Begins(image, 0, big_endian ? "MM\0*"sv : "II*\0"sv);
      const bool big = Begins(image, 0, big_endian ? "MM\0+\0\10\0\0"sv : "II+\0\10\0\0\0"sv);
      if (!classic && !big) continue;
      header.format = "tiff";
      ReadTiffHeader(image, big_endian, big, header);
    }
  }
  return header;
}

}  // namespace ofindex
