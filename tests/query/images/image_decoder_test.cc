#include "query/images/image_decoder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/query/images/encoded_images.h"

namespace ofindex {
namespace {

using Layout = ImageShape::Layout;

// Values that change slowly and linearly across a picture of any size, so that a scaled picture has the same formula.
double Ramp(double across, double down, uint32_t channel) {
  return channel == 0 ? 40 + 160 * across : channel == 1 ? 200 - 150 * down : 60 + 60 * across + 60 * down;
}

Picture RampOf(uint32_t width, uint32_t height) {
  return [width, height](uint32_t x, uint32_t y, uint32_t channel) {
    return static_cast<uint8_t>(std::lround(Ramp((x + 0.5) / width, (y + 0.5) / height, channel)));
  };
}

double Luma(double red, double green, double blue) { return 0.299 * red + 0.587 * green + 0.114 * blue; }

std::vector<uint8_t> Decoded(const ImageShape& shape, const std::string& image) {
  std::vector<uint8_t> pixels(shape.values(), 77);
  const std::shared_ptr<const ImageDecoder> made = ImageDecoder::Of(shape).value();
  const ImageDecoder& decoder = *made;
  const Result<void> done = decoder.Decode(AsBytes(image), pixels.data());
  INFO((done ? std::string() : done.error().message));
  CHECK(done.has_value());
  return pixels;
}

// Returns the largest difference from the ramp, except in the two outermost rows and columns.
double DistanceFromRamp(const ImageShape& shape, const std::vector<uint8_t>& pixels, bool is_gray_source) {
  double most = 0;
  const uint32_t channels = shape.gray ? 1 : 3;
  for (uint32_t y = 2; y + 2 < shape.height; ++y) {
    for (uint32_t x = 2; x + 2 < shape.width; ++x) {
      const double across = (x + 0.5) / shape.width, down = (y + 0.5) / shape.height;
      for (uint32_t channel = 0; channel < channels; ++channel) {
        const double luma = Luma(Ramp(across, down, 0), Ramp(across, down, 1), Ramp(across, down, 2));
        const double expected = is_gray_source ? Ramp(across, down, 0)
                                : shape.gray   ? luma
                                               : Ramp(across, down, channel);
        const size_t at = shape.layout == Layout::kRows ? (size_t{y} * shape.width + x) * channels + channel
                                                        : (size_t{channel} * shape.height + y) * shape.width + x;
        most = std::max(most, std::abs(pixels[at] - expected));
      }
    }
  }
  return most;
}

TEST_CASE("JPEG images of every sampling, size and mode become the same picture") {
  struct Sampling {
    int channels, wide, high;
    bool progressive, keep_rgb;
  };
  const std::vector<Sampling> samplings = {
      {3, 1, 1, false, false}, {3, 2, 1, false, false}, {3, 2, 2, false, false}, {3, 1, 2, false, false},
      {3, 4, 1, false, false}, {3, 4, 2, false, false}, {3, 3, 1, false, false}, {3, 2, 2, true, false},
      {3, 1, 1, false, true},  {1, 1, 1, false, false}, {1, 1, 1, true, false},
  };
  struct Size {
    uint32_t width, height;
  };
  for (const Sampling& sampling : samplings) {
    for (const Size from : {Size{64, 48}, {61, 47}, {200, 150}, {417, 333}}) {
      for (const Size to : {Size{64, 48}, {24, 24}, {50, 70}, {201, 99}}) {
        for (const bool gray : {false, true}) {
          for (const Layout layout : {Layout::kRows, Layout::kPlanes}) {
            CAPTURE(sampling.channels);
            CAPTURE(sampling.wide);
            CAPTURE(sampling.high);
            CAPTURE(from.width);
            CAPTURE(to.width);
            const std::string image = JpegOf({.width = from.width,
                                              .height = from.height,
                                              .channels = sampling.channels,
                                              .wide = sampling.wide,
                                              .high = sampling.high,
                                              .progressive = sampling.progressive,
                                              .keep_rgb = sampling.keep_rgb},
                                             RampOf(from.width, from.height));
            const ImageShape shape{.width = to.width, .height = to.height, .gray = gray, .layout = layout};
            CHECK(DistanceFromRamp(shape, Decoded(shape, image), sampling.channels == 1) < 6);
          }
        }
      }
    }
  }
}

TEST_CASE("PNG images of every kind become the same picture, without their transparency") {
  for (const uint8_t kind : {uint8_t{0}, uint8_t{2}, uint8_t{4}, uint8_t{6}}) {
    for (const uint8_t bits : {uint8_t{8}, uint8_t{16}}) {
      for (const bool gray : {false, true}) {
        CAPTURE(int{kind});
        CAPTURE(int{bits});
        CAPTURE(gray);
        const std::string image = PngOf(67, 45, kind, bits, RampOf(67, 45));
        const ImageShape shape{.width = 40, .height = 30, .gray = gray};
        CHECK(DistanceFromRamp(shape, Decoded(shape, image), kind == 0 || kind == 4) < 3);
      }
    }
  }
}

TEST_CASE("CMYK as Adobe stores it becomes RGB") {
  const Picture ink = [](uint32_t, uint32_t, uint32_t channel) {
    return static_cast<uint8_t>(channel == 0 ? 255 : channel == 1 ? 128 : channel == 2 ? 0 : 200);
  };
  const ImageShape shape{.width = 8, .height = 8};
  const std::vector<uint8_t> pixels = Decoded(shape, JpegOf({.width = 32, .height = 32, .channels = 4}, ink));
  CHECK(std::abs(pixels[0] - 200) < 4);
  CHECK(std::abs(pixels[1] - 100) < 4);
  CHECK(std::abs(pixels[2] - 0) < 4);
}

TEST_CASE("a padded image is centered between black bars, and a cropped one is cut at both sides") {
  const Picture halves = [](uint32_t x, uint32_t, uint32_t) { return static_cast<uint8_t>(x < 50 ? 100 : 200); };
  const std::string image = PngOf(100, 50, 2, 8, halves);
  ImageShape shape{.width = 20, .height = 20, .gray = true, .fit = ImageFit::kPad};
  const std::vector<uint8_t> padded = Decoded(shape, image);
  for (uint32_t y = 0; y < 20; ++y) {
    CAPTURE(y);
    CHECK(padded[y * 20 + 3] == (y < 5 || y >= 15 ? 0 : 100));
    CHECK(padded[y * 20 + 16] == (y < 5 || y >= 15 ? 0 : 200));
  }
  shape.fit = ImageFit::kCrop;
  const std::vector<uint8_t> cropped = Decoded(shape, image);
  for (uint32_t x = 0; x < 20; ++x) {
    if (x != 9 && x != 10) CHECK(cropped[x] == (x < 10 ? 100 : 200));
  }
}

TEST_CASE("what is not an image, or damaged, is an error that says so") {
  const std::string jpeg = JpegOf({.width = 40, .height = 40}, RampOf(40, 40));
  const std::string png = PngOf(40, 40, 2, 8, RampOf(40, 40));
  std::string huge_jpeg = jpeg;
  const size_t frame = huge_jpeg.find("\xff\xc0");
  REQUIRE(frame != std::string::npos);
  huge_jpeg.replace(frame + 5, 4, "\xfe\xfe\xfe\xfe");  // height and width
  struct Row {
    std::string image;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"", "no bytes; expected a JPEG or PNG image"},
      {"hello", "bytes that begin with 'hello'; expected a JPEG or PNG image"},
      {"GIF89a...", "a GIF image; expected a JPEG or PNG image"},
      {"RIFF....WEBP", "a WebP image; expected a JPEG or PNG image"},
      {"RIFF....WAVEfmt", "bytes that begin with 'RIFF....'; expected a JPEG or PNG image"},
      {"MMXX is 2020", "bytes that begin with 'MMXX is '; expected a JPEG or PNG image"},
      {jpeg.substr(0, jpeg.size() - 40), "a JPEG image whose data ends early"},
      {jpeg.substr(0, 3), "a JPEG image that cannot be decoded: "},
      {huge_jpeg, "a JPEG image that cannot be decoded: more than 268435456 pixels"},
      {png.substr(0, png.size() / 2), "a PNG image that cannot be decoded: "},
      {png.substr(0, 8), "a PNG image that cannot be decoded: "},
  };
  const std::shared_ptr<const ImageDecoder> made = ImageDecoder::Of({.width = 10, .height = 10}).value();
  const ImageDecoder& decoder = *made;
  std::vector<uint8_t> pixels(300);
  for (const Row& row : rows) {
    const Result<void> done = decoder.Decode(AsBytes(row.image), pixels.data());
    REQUIRE_FALSE(done.has_value());
    CAPTURE(done.error().message);
    CHECK(done.error().code == ErrorCode::kFeature);
    CHECK(done.error().message.starts_with(row.message));
    CHECK(decoder.Decode(AsBytes(jpeg), pixels.data()).has_value());  // the next image is not affected
  }
}

TEST_CASE("a changed byte or a cut anywhere gives pixels or an error") {
  const std::vector<std::string> images = {JpegOf({.width = 37, .height = 29, .wide = 2, .high = 2}, RampOf(37, 29)),
                                           JpegOf({.width = 37, .height = 29, .progressive = true}, RampOf(37, 29)),
                                           JpegOf({.width = 20, .height = 20, .channels = 4}, RampOf(20, 20)),
                                           PngOf(20, 20, 6, 8, RampOf(20, 20))};
  const std::shared_ptr<const ImageDecoder> made = ImageDecoder::Of({.width = 16, .height = 16}).value();
  const ImageDecoder& decoder = *made;
  std::vector<uint8_t> pixels(16 * 16 * 3);
  std::mt19937_64 random(5);
  uint64_t decoded = 0, failed = 0;
  for (const std::string& image : images) {
    for (size_t i = 0; i < image.size(); ++i) {
      std::string changed = image;
      changed[i] = static_cast<char>(random());
      for (const std::string& damaged : {changed, image.substr(0, i)}) {
        const std::vector<uint8_t> exact(damaged.begin(), damaged.end());  // so that a read beyond it is seen
        ++(decoder.Decode(exact, pixels.data()) ? decoded : failed);
      }
    }
  }
  CHECK(decoded > 0);
  CHECK(failed > 0);
}

}  // namespace
}  // namespace ofindex
