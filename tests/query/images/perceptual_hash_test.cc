#include "query/images/perceptual_hash.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "query/images/image_decoder.h"
#include "tests/query/images/encoded_images.h"

namespace ofindex {
namespace {

using HashBytes = std::array<uint8_t, PerceptualHash::kBytes>;

HashBytes HashOf(const std::string& image) {
  HashBytes hash;
  const auto hasher = PerceptualHash::Make();
  REQUIRE(hasher);
  const Result<void> done = (*hasher)->Decode(AsBytes(image), hash.data());
  REQUIRE_MESSAGE(done, done.error().message);
  return hash;
}

int BitsBetween(const HashBytes& a, const HashBytes& b) {
  int bits = 0;
  for (size_t i = 0; i < a.size(); ++i) bits += std::popcount(static_cast<uint8_t>(a[i] ^ b[i]));
  return bits;
}

/// Returns a picture of soft random shapes, the same in every size, and `lighter` by so many levels.
Picture Shapes(unsigned seed, uint32_t width, uint32_t height, double lighter = 0) {
  std::mt19937_64 random(seed);
  struct Wave {
    double x, y, phase, strength;
  };
  std::vector<Wave> waves;
  for (int i = 0; i < 60; ++i) {
    const auto number = [&](uint64_t below) { return static_cast<double>(random() % below); };
    waves.push_back({number(17), number(17), number(628) / 100, 2 + number(7)});
  }
  return [=](uint32_t x, uint32_t y, uint32_t channel) {
    double level = 120 + lighter + 5.0 * channel;
    for (const Wave& wave : waves) {
      level += wave.strength *
               std::cos(std::numbers::pi * (wave.x * (x + 0.5) / width + wave.y * (y + 0.5) / height) + wave.phase);
    }
    return static_cast<uint8_t>(std::clamp(level, 0.0, 255.0));
  };
}

std::string JpegOfShapes(unsigned seed, uint32_t width, uint32_t height, double lighter = 0) {
  return JpegOf({.width = width, .height = height, .wide = 2, .high = 2}, Shapes(seed, width, height, lighter));
}

std::string PngOfShapes(unsigned seed, uint32_t width, uint32_t height) {
  return PngOf(width, height, 2, 8, Shapes(seed, width, height));
}

TEST_CASE("the bits are those of a cosine transform by its definition, about the median") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::string image = PngOfShapes(seed, 150, 120);
    std::array<uint8_t, 64 * 64> pixels;
    REQUIRE((*ImageDecoder::Of({.width = 64, .height = 64, .gray = true}))->Decode(AsBytes(image), pixels.data()));
    std::vector<std::array<int, 3>> frequencies;  // the square, down, across
    for (int down = 0; down < 64; ++down) {
      for (int across = 0; across < 64; ++across) frequencies.push_back({down * down + across * across, down, across});
    }
    std::sort(frequencies.begin(), frequencies.end());
    std::vector<double> spectrum;
    for (size_t i = 1; i <= 128; ++i) {
      const auto [square, down, across] = frequencies[i];
      double sum = 0;
      for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
          sum += pixels[static_cast<size_t>(64 * y + x)] * std::cos(std::numbers::pi / 64 * (y + 0.5) * down) *
                 std::cos(std::numbers::pi / 64 * (x + 0.5) * across);
        }
      }
      spectrum.push_back(down == 0 || across == 0 ? sum / std::numbers::sqrt2 : sum);
    }
    std::vector<double> sorted = spectrum;
    std::sort(sorted.begin(), sorted.end());
    HashBytes expected = {};
    for (size_t i = 0; i < spectrum.size(); ++i) {
      if (spectrum[i] >= sorted[64]) expected[i / 8] = static_cast<uint8_t>(expected[i / 8] | 1U << i % 8);
    }
    CHECK(HashOf(image) == expected);
  }
}

TEST_CASE("an image in another size, format or light has a like hash, and another image has not") {
  for (unsigned seed = 10; seed < 20; ++seed) {
    CAPTURE(seed);
    const HashBytes hash = HashOf(JpegOfShapes(seed, 400, 300));
    CHECK(BitsBetween(hash, HashOf(PngOfShapes(seed, 400, 300))) <= 8);
    CHECK(BitsBetween(hash, HashOf(JpegOfShapes(seed, 200, 150))) <= 8);
    CHECK(BitsBetween(hash, HashOf(PngOfShapes(seed, 130, 99))) <= 8);
    CHECK(BitsBetween(hash, HashOf(JpegOfShapes(seed, 400, 300, 20))) <= 8);
    CHECK(BitsBetween(hash, HashOf(JpegOfShapes(seed + 100, 400, 300))) > 35);
  }
}

TEST_CASE("plain images have no bits, whatever their color, size and format") {
  constexpr HashBytes kNone = {};
  const auto flat = [](uint8_t level) { return [level](uint32_t, uint32_t, uint32_t) { return level; }; };
  std::mt19937_64 random(3);
  const auto grain = [&](uint32_t, uint32_t, uint32_t) { return static_cast<uint8_t>(126 + random() % 4); };
  const auto ramp = [](uint32_t x, uint32_t, uint32_t) { return static_cast<uint8_t>(x / 4); };
  for (const int level : {0, 77, 128, 255})
    CHECK(HashOf(PngOf(300, 200, 0, 8, flat(static_cast<uint8_t>(level)))) == kNone);
  CHECK(HashOf(JpegOf({.width = 640, .height = 480}, grain)) == kNone);
  CHECK(HashOf(PngOf(640, 480, 0, 8, ramp)) == kNone);
  CHECK(HashOf(PngOf(1, 1, 2, 8, flat(9))) == kNone);
}

TEST_CASE("what is no image is an error of the feature") {
  HashBytes hash;
  const Result<void> done = (*PerceptualHash::Make())->Decode(AsBytes("RIFF....WEBPVP8 "), hash.data());
  REQUIRE(!done);
  CHECK(done.error().code == ErrorCode::kFeature);
  CHECK(done.error().message == "a WebP image; expected a JPEG or PNG image");
}

}  // namespace
}  // namespace ofindex
