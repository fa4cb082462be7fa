#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "query/images/image_decoder.h"
#include "tests/query/images/encoded_images.h"

namespace ofindex {
namespace {

TEST_CASE("threads that share a decoder get the pixels that one thread gets") {
  std::vector<std::string> images;
  for (uint32_t i = 0; i < 8; ++i) {
    images.push_back(
        JpegOf({.width = 40 + 9 * i, .height = 70 - 5 * i, .wide = 2},
               [i](uint32_t x, uint32_t y, uint32_t c) { return static_cast<uint8_t>(x * 3 + y * 2 + c * 50 + i); }));
  }
  const std::shared_ptr<const ImageDecoder> made = ImageDecoder::Of({.width = 20, .height = 20}).value();
  const ImageDecoder& decoder = *made;
  std::vector<std::vector<uint8_t>> expected;
  for (const std::string& image : images) {
    std::vector<uint8_t> pixels(1200);
    REQUIRE(decoder.Decode(AsBytes(image), pixels.data()).has_value());
    expected.push_back(pixels);
  }
  std::atomic<int> different{0};
  std::vector<std::jthread> threads;
  for (size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<uint8_t> pixels(1200);
      for (size_t turn = 0; turn < 200; ++turn) {
        const size_t i = (turn + thread) % images.size();
        const bool done = decoder.Decode(AsBytes(images[i]), pixels.data()).has_value();
        if (!done || pixels != expected[i]) ++different;
      }
    });
  }
  threads.clear();
  CHECK(different == 0);
}

}  // namespace
}  // namespace ofindex
