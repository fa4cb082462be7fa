#include "index/images/header_reader.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/payloads/image_header_text.h"
#include "tests/index/images/encoded_images.h"

namespace ofindex {
namespace {

using namespace encoded_images;

ImageHeader ImageHeaderOf(const std::string& bytes) {
  MemoryImage image(AsBytes(bytes));
  return ReadImageHeader(image);
}

std::string HeaderTextOf(const std::string& bytes) { return SpellHeader(ImageHeaderOf(bytes)); }

struct ImageSample {
  const char* name;
  std::string bytes;
  const char* header;
};

// One of each kind, with what follows the header left out.
std::vector<ImageSample> ImageSamples() {
  return {
      {"baseline JPEG", Jpeg({Segment(0xe0, "JFIF"), Frame(0xc0, 640, 480, 3)}), "jpeg 640x480x3"},
      {"progressive JPEG", Jpeg({Frame(0xc2, 1, 65535, 1)}), "jpeg 1x65535x1"},
      {"lossless JPEG", Jpeg({Frame(0xc3, 7, 8, 1)}), "jpeg 7x8x1"},
      {"arithmetic JPEG", Jpeg({Segment(0xcc, "x"), Frame(0xc9, 7, 8, 3)}), "jpeg 7x8x3"},
      {"CMYK", Jpeg({Segment(0xee, "Adobe"), Frame(0xc0, 7, 8, 4)}), "jpeg 7x8x4"},
      {"Huffman tables first", Jpeg({Segment(0xc4, "tables"), Frame(0xc1, 7, 8, 3)}), "jpeg 7x8x3"},
      {"thumbnail in EXIF", Jpeg({Segment(0xe1, "Exif" + Jpeg({Frame(0xc0, 16, 16, 3)})), Frame(0xc0, 7, 8, 3)}),
       "jpeg 7x8x3"},
      {"padded markers", Jpeg({"\xff\xff\xff", Segment(0xe0, "x"), "\xff\xff", Frame(0xc0, 7, 8, 3)}), "jpeg 7x8x3"},
      {"bytes between segments", Jpeg({Segment(0xe0, "x"), "junk", "\xff\x01", Frame(0xc0, 7, 8, 3)}), "jpeg 7x8x3"},
      {"largest segment", Jpeg({Segment(0xe2, std::string(65533, '\xff')), Frame(0xc0, 7, 8, 3)}), "jpeg 7x8x3"},
      {"height in a DNL segment", Jpeg({Frame(0xc0, 7, 0, 3)}), "jpeg 7x-x3"},
      {"gray PNG", Png(7, 8, 16, 0), "png 7x8x1"},
      {"RGB PNG", Png(7, 8, 8, 2), "png 7x8x3"},
      {"palette PNG", Png(7, 8, 4, 3), "png 7x8x3"},
      {"gray and alpha", Png(7, 8, 8, 4), "png 7x8x2"},
      {"RGBA PNG", Png(0x7fffffff, 1, 16, 6), "png 2147483647x1x4"},
      {"GIF", "GIF89a" + U16(500) + U16(2) + "rest", "gif 500x2x3"},
      {"old GIF", "GIF87a" + U16(65535) + U16(1), "gif 65535x1x3"},
      {"lossy WebP", Webp("VP8 ", std::string("\x10\0\0\x9d\x01\x2a", 6) + U16(0x4000 | 300) + U16(9)), "webp 300x9x3"},
      {"lossless WebP", Webp("VP8L", "\x2f" + U32(16383 | 7 << 14)), "webp 16384x8x3"},
      {"lossless WebP with alpha", Webp("VP8L", "\x2f" + U32(6 | 7 << 14 | 1 << 28)), "webp 7x8x4"},
      {"extended WebP", Webp("VP8X", U32(0x02) + U24(6) + U24(7)), "webp 7x8x3"},
      {"extended WebP with alpha", Webp("VP8X", U32(0x10) + U24(0xffffff) + U24(7)), "webp 16777216x8x4"},
      {"BMP", Bmp(40, U32(7) + U32(8) + U16(1) + U16(24) + U32(0)), "bmp 7x8x3"},
      {"palette BMP from the top", Bmp(40, U32(7) + U32(0xfffffff8) + U16(1) + U16(8) + U32(0)), "bmp 7x8x3"},
      {"BMP with unused bytes", Bmp(40, U32(7) + U32(8) + U16(1) + U16(32) + U32(0)), "bmp 7x8x3"},
      {"BMP with alpha", MaskedBmp(124, 3, 0xff000000), "bmp 7x8x4"},
      {"BMP without alpha", MaskedBmp(108, 3, 0), "bmp 7x8x3"},
      {"BMP with alpha, short header", MaskedBmp(40, 6, 0xff000000), "bmp 7x8x4"},
      {"core BMP", Bmp(12, U16(7) + U16(8) + U16(1) + U16(24)), "bmp 7x8x3"},
      {"OS/2 BMP", Bmp(64, U32(7) + U32(8) + U16(1) + U16(4) + U32(3)), "bmp 7x8x3"},
      {"gray TIFF", Tiff(Order::kLittle, {{256, 3, 7}, {257, 3, 8}, {262, 3, 1}}), "tiff 7x8x1"},
      {"RGB TIFF", Tiff(Order::kBig, {{256, 3, 7}, {257, 4, 70000}, {262, 3, 2}, {277, 3, 3}}), "tiff 7x70000x3"},
      {"CMYK TIFF", Tiff(Order::kLittle, {{256, 4, 7}, {257, 4, 8}, {262, 3, 5}, {277, 3, 4}}), "tiff 7x8x4"},
      {"palette TIFF", Tiff(Order::kBig, {{256, 1, 7}, {257, 1, 8}, {262, 3, 3}, {277, 3, 1}}), "tiff 7x8x3"},
      {"BigTIFF", BigTiff(Order::kLittle, {{256, 16, 7}, {257, 4, 8}, {277, 3, 2}}), "tiff 7x8x2"},
      {"big-endian BigTIFF", BigTiff(Order::kBig, {{256, 3, 7}, {257, 16, 8}, {277, 3, 3}}), "tiff 7x8x3"},
      {"entries out of order", Tiff(Order::kLittle, {{277, 3, 3}, {257, 3, 8}, {256, 3, 7}}), "tiff 7x8x3"},
  };
}

}  // namespace

TEST_CASE("the header of each kind of image says its size, channels and format") {
  for (const ImageSample& sample : ImageSamples())
    CHECK_MESSAGE(HeaderTextOf(sample.bytes) == std::string(sample.header), std::string(sample.name));
}

TEST_CASE("what is known of the beginning of an image is known of all of it") {
  for (const ImageSample& sample : ImageSamples()) {
    ImageHeader before;
    for (size_t size = 0; size <= sample.bytes.size(); ++size) {
      const ImageHeader now = ImageHeaderOf(sample.bytes.substr(0, size));
      REQUIRE_MESSAGE(Precedes(before, now), std::string(sample.name), " ", size);
      before = now;
    }
    CHECK_MESSAGE(SpellHeader(before) == std::string(sample.header), std::string(sample.name));
  }
}

TEST_CASE("bytes that are no image, or whose header makes no sense, leave out what is not known") {
  const struct {
    const char* name;
    std::string bytes;
    const char* header;
  } samples[] = {
      {"nothing", "", "- -x-x-"},
      {"text", "BMW makes cars; this is not one of them", "- -x-x-"},
      {"RIFF of sound", "RIFF" + U32(36) + "WAVEfmt ", "- -x-x-"},
      {"TIFF of another version", "II\x2c" + std::string(20, '\0'), "- -x-x-"},
      {"BigTIFF with offsets of 4 bytes", std::string("II+\0\4\0\0\0", 8) + std::string(30, '\0'), "- -x-x-"},
      {"segment of length 1", Jpeg({std::string("\xff\xe0\0\1", 4), Frame(0xc0, 7, 8, 3)}), "jpeg -x-x-"},
      {"frame of another length", Jpeg({"\xff\xc0" + std::string("\0\x0c\x08\0\x08\0\x07\x03", 8)}), "jpeg -x-x-"},
      {"scan before the frame", Jpeg({Segment(0xda, "scan"), Frame(0xc0, 7, 8, 3)}), "jpeg -x-x-"},
      {"end before the frame", Jpeg({"\xff\xd9", Frame(0xc0, 7, 8, 3)}), "jpeg -x-x-"},
      {"much padding", "\xff\xd8" + std::string(1 << 20, '\xff') + Frame(0xc0, 7, 8, 3), "jpeg -x-x-"},
      {"PNG with another chunk first", Png(7, 8, 8, 2).replace(12, 4, "CgBI"), "png -x-x-"},
      {"PNG of 2^31", Png(0x80000000, 0, 8, 2), "png -x-x3"},
      {"PNG of an unknown color type", Png(7, 8, 8, 5), "png 7x8x-"},
      {"GIF without a screen", "GIF89a" + U32(0), "gif -x-x3"},
      {"WebP of another kind", Webp("VP9 ", "0123456789abcdef"), "webp -x-x-"},
      {"WebP that is no key frame", Webp("VP8 ", std::string("\x11\0\0\x9d\x01\x2a\1\0\1\0", 10)), "webp -x-x-"},
      {"lossless WebP of another version", Webp("VP8L", "\x2f" + U32(1U << 29)), "webp -x-x-"},
      {"BMP of the least height", Bmp(40, U32(7) + U32(0x80000000) + U16(1) + U16(24)), "bmp 7x-x3"},
      {"BMP of a negative width", Bmp(40, U32(0xfffffff8) + U32(8) + U16(1) + U16(23)), "bmp -x8x-"},
      {"TIFF without entries", Tiff(Order::kLittle, {}), "tiff -x-x1"},
      {"TIFF with a size of two values", Tiff(Order::kLittle, {{256, 3, 7, 2}, {257, 3, 8}}), "tiff -x8x1"},
      {"TIFF with a size that is a fraction", Tiff(Order::kLittle, {{256, 5, 7}, {257, 3, 8}}), "tiff -x8x1"},
      {"TIFF with a directory past the end", std::string("II*\0\xff\xff\xff\xff", 8), "tiff -x-x-"},
      {"BigTIFF with a directory past the end", std::string("II+\0\10\0\0\0", 8) + std::string(8, '\xff'),
       "tiff -x-x-"},
      {"BigTIFF of 2^32 pixels", BigTiff(Order::kBig, {{256, 16, uint64_t{1} << 32}, {257, 3, 8}}), "tiff -x8x1"},
      {"TIFF with more entries than bytes", Tiff(Order::kLittle, {{256, 3, 7}}).replace(8, 2, "\xff\xff"),
       "tiff 7x-x-"},
  };
  for (const auto& sample : samples)
    CHECK_MESSAGE(HeaderTextOf(sample.bytes) == std::string(sample.header), std::string(sample.name));
}

TEST_CASE("no bytes are read outside of an image, whatever it holds") {
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same images in every run
  uint64_t known = 0;
  for (const ImageSample& sample : ImageSamples()) {
    for (int round = 0; round < 300; ++round) {
      // On the heap, of exactly this size, so that a sanitizer sees a read past its end.
      std::vector<uint8_t> bytes(sample.bytes.begin(), sample.bytes.end());
      bytes.resize(1 + random() % bytes.size());
      for (uint64_t flips = random() % 4; flips != 0; --flips) {
        bytes[random() % std::min<size_t>(bytes.size(), 64)] = static_cast<uint8_t>(random());
      }
      bytes.shrink_to_fit();
      MemoryImage image(bytes);
      const ImageHeader header = ReadImageHeader(image);
      if (header.width) ++known;
      CHECK(header.width != 0U);
      CHECK(header.height != 0U);
      CHECK(header.channels != 0U);
    }
  }
  CHECK(known > 100);
}

}  // namespace ofindex
