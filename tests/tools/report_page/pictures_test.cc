#include "tools/report_page/pictures.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tools/report_page/charts.h"

namespace ofindex {
namespace {

using namespace std::string_view_literals;

// A page, and what was written to it so far.
struct Page {
  std::string text;
  Html html{[this](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  }};

  std::string Finished() {
    REQUIRE(html.Finish());
    return text;
  }
};

// The head of a GIF of that size, padded to `bytes`: enough to be taken for an image.
std::vector<uint8_t> Gif(uint16_t width, uint16_t height, size_t bytes = 64) {
  std::vector<uint8_t> gif(bytes);
  const std::string_view head = "GIF89a";
  std::copy(head.begin(), head.end(), gif.begin());
  gif[6] = static_cast<uint8_t>(width);
  gif[7] = static_cast<uint8_t>(width >> 8);
  gif[8] = static_cast<uint8_t>(height);
  gif[9] = static_cast<uint8_t>(height >> 8);
  return gif;
}

TEST_CASE("shapes of pixels are two sides, and 1, 3 or 4 channels") {
  const auto shape = ParsePixelShape("28x30x3");
  REQUIRE(shape);
  CHECK(shape->height == 28);
  CHECK(shape->width == 30);
  CHECK(shape->channels == 3);
  CHECK(shape->numbers() == 28 * 30 * 3);
  CHECK(ParsePixelShape("4096x1")->numbers() == 4096);
  for (const char* wrong : {"", "28", "28x", "x28", "28x28x", "28x28x2", "28x28x3x1", "0x28", "28x0", "4097x1", "-1x4",
                            "28X28", " 28x28", "28x28 ", "99999999999999999999x1", "2.5x2"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ParsePixelShape(wrong));
  }
}

TEST_CASE("pixels become a BMP: the first row is the uppermost, blue comes first") {
  const std::vector<double> numbers = {0, 51, 255, 10, 20, 30};
  const std::vector<uint8_t> bmp = BmpOf(numbers, {.height = 1, .width = 2, .channels = 3});
  REQUIRE(bmp.size() == 54 + 8);
  CHECK(AsText(ByteView(bmp).first(2)) == "BM");
  CHECK(LoadLe32(&bmp[18]) == 2);
  CHECK(static_cast<int32_t>(LoadLe32(&bmp[22])) == -1);
  const std::vector<uint8_t> pixels(bmp.begin() + 54, bmp.begin() + 60);
  CHECK(pixels == std::vector<uint8_t>{255, 51, 0, 30, 20, 10});
}

TEST_CASE("brightness is taken from the range of the numbers") {
  const auto grays = [](std::vector<double> numbers) {
    const auto width = static_cast<uint32_t>(numbers.size());
    const std::vector<uint8_t> bmp = BmpOf(numbers, {.height = 1, .width = width});
    std::vector<int> found;
    for (size_t x = 0; x < width; ++x) found.push_back(bmp[54 + 3 * x]);
    return found;
  };
  CHECK(grays({0, 0.2, 1}) == std::vector<int>{0, 51, 255});
  CHECK(grays({0, 2, 200}) == std::vector<int>{0, 2, 200});
  CHECK(grays({-1, 0, 1}) == std::vector<int>{0, 128, 255});
  CHECK(grays({-7, -7}) == std::vector<int>{0, 0});
  const double most = std::numeric_limits<double>::max();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(grays({-most, most, infinite, -infinite, NAN}) == std::vector<int>{0, 255, 255, 0, 0});
  CHECK(grays({NAN, infinite}).size() == 2);
}

TEST_CASE("only images are pictures, and the alternative text says what they are") {
  Page page;
  Pictures pictures;
  for (const std::string_view other :
       {"<svg xmlns='http://www.w3.org/2000/svg'/>"sv, "<html>"sv, "RIFF\0\0\0\0WAVE"sv, "%PDF-1.4"sv, ""sv, "BM"sv}) {
    CHECK_FALSE(pictures.Draw(AsBytes(other), "x", page.html));
  }
  CHECK(pictures.Draw(Gif(3, 2), "\"><script>", page.html));
  CHECK(pictures.drawn() == 1);
  const std::string text = page.Finished();
  CHECK(text.starts_with("<img src=\"data:image/gif;base64,R0lGODlhAwACA"));
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("alt=\"&quot;&gt;&lt;script&gt;, image/gif, 64 B\"") != std::string::npos);
  CHECK(text.find("width=\"3\" height=\"2\"") != std::string::npos);
}

TEST_CASE("large pictures, and those beyond the room of the page, are left out") {
  Page page;
  Pictures pictures;
  CHECK(pictures.Draw(Gif(9, 9, kMaxPictureBytes + 1), "large", page.html));
  CHECK(pictures.left_out() == 1);
  CHECK(pictures.Draw(Gif(65535, 65535), "bomb", page.html));
  CHECK(pictures.left_out() == 2);
  CHECK(pictures.Draw(Gif(0, 9), "empty", page.html));
  CHECK(pictures.left_out() == 3);
  const uint64_t fit = kMaxPicturesBytes / kMaxPictureBytes;
  for (uint64_t i = 0; i < fit + 2; ++i) CHECK(pictures.Draw(Gif(9, 9, kMaxPictureBytes), "one", page.html));
  CHECK(pictures.drawn() == fit);
  CHECK(pictures.left_out() == 5);
  CHECK(pictures.bytes() == kMaxPicturesBytes);
  CHECK(page.Finished().find("this page has 8 MiB of pictures") != std::string::npos);
}

TEST_CASE("a line keeps the least and the greatest numbers") {
  std::vector<double> numbers(10'000, 0.0);
  numbers[5000] = 1;
  const std::string points = LinePoints(numbers, 100, 40);
  CHECK(points.starts_with("0,40 1,40"));
  CHECK(points.find(",0") != std::string::npos);
  CHECK(std::count(points.begin(), points.end(), ',') == 101);
  CHECK(LinePoints(std::vector<double>{2, 2}, 100, 40) == "0,20 100,20");
  CHECK(LinePoints(std::vector<double>{7}, 100, 40) == "0,20");
  CHECK(LinePoints({}, 100, 40).empty());
  CHECK(LinePoints(std::vector<double>{NAN, HUGE_VAL}, 100, 40).empty());
  const double most = std::numeric_limits<double>::max();
  CHECK(LinePoints(std::vector<double>{-most, NAN, most}, 100, 40) == "0,40 100,0");
}

}  // namespace
}  // namespace ofindex
