#include "tools/report_page/pictures.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "index/images/header_reader.h"
#include "query/columns/base64.h"
#include "tools/media/media_type.h"

namespace ofindex {
namespace {

constexpr uint32_t kMaxShapeSide = 4096;
constexpr size_t kBmpHeader = 54;
constexpr uint32_t kSmallSide = 64;  // pixels up to which a picture is drawn larger, pixel by pixel

// Takes the number at the front of `text`, and the 'x' after it.
std::optional<uint32_t> TakeSide(std::string_view& text) {
  uint32_t side = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (error != std::errc() || side == 0 || side > kMaxShapeSide) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(at - text.data()));
  if (text.empty()) return side;
  if (text.front() != 'x' || text.size() == 1) return std::nullopt;
  text.remove_prefix(1);
  return side;
}

// Maps a number to a brightness.
struct Brightness {
  double black = 0;
  double white = 255;

  [[nodiscard]] uint8_t operator()(double number) const {
    if (std::isnan(number) || white == black) return 0;
    const double part = (number / 2 - black / 2) / (white / 2 - black / 2);  // halves: the difference may be infinite
    return static_cast<uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0)));
  }
};

Brightness BrightnessOf(std::span<const double> numbers) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  if (least > greatest) return {};
  if (least >= 0 && greatest <= 1) return {0, 1};
  if (least >= 0 && greatest <= 255) return {0, 255};
  return {least, greatest};
}

}  // namespace

std::optional<PixelShape> ParsePixelShape(std::string_view text) {
  PixelShape shape;
  const std::optional<uint32_t> height = TakeSide(text);
  const std::optional<uint32_t> width = height && !text.empty() ? TakeSide(text) : std::nullopt;
  if (!width) return std::nullopt;
  shape.height = *height;
  shape.width = *width;
  if (text.empty()) return shape;
  if (text != "1" && text != "3" && text != "4") return std::nullopt;
  shape.channels = static_cast<uint32_t>(text[0] - '0');
  return shape;
}

std::vector<uint8_t> BmpOf(std::span<const double> numbers, const PixelShape& shape) {
  const Brightness brightness = BrightnessOf(numbers);
  const size_t row_bytes = (size_t{shape.width} * 3 + 3) / 4 * 4;
  std::vector<uint8_t> bmp(kBmpHeader + row_bytes * shape.height);
  bmp[0] = 'B';
  bmp[1] = 'M';
  StoreLe32(&bmp[2], static_cast<uint32_t>(bmp.size()));
  StoreLe32(&bmp[10], kBmpHeader);
  StoreLe32(&bmp[14], 40);  // of the second header
  StoreLe32(&bmp[18], shape.width);
  StoreLe32(&bmp[22], 0U - shape.height);  // negative: the first row is the uppermost
  StoreLe32(&bmp[26], 1U | 24U << 16);     // one plane, 24 bits for each pixel
  StoreLe32(&bmp[34], static_cast<uint32_t>(row_bytes * shape.height));
  for (size_t y = 0; y < shape.height; ++y) {
    for (size_t x = 0; x < shape.width; ++x) {
      const double* pixel = &numbers[(y * shape.width + x) * shape.channels];
      uint8_t* out = &bmp[kBmpHeader + y * row_bytes + x * 3];
      for (size_t c = 0; c < 3; ++c) out[2 - c] = brightness(pixel[shape.channels == 1 ? 0 : c]);  // blue first
    }
  }
  return bmp;
}

bool Pictures::Draw(ByteView bytes, std::string_view alt, Html& html) {
  const MediaType type = MediaTypeOf(bytes);
  if (type.medium != Medium::kImage) return false;
  MemoryImage image(bytes);
  const ImageHeader header = ReadImageHeader(image);
  const std::string what = StrCat(alt, ", ", type.name, ", ", FormatBytes(static_cast<double>(bytes.size())));
  if (!header.width || !header.height) {
    LeaveOut(what, "its size cannot be read", html);
  } else if (uint64_t{*header.width} * *header.height > kMaxPicturePixels) {
    LeaveOut(what, StrCat(*header.width, " x ", *header.height, " pixels are too many"), html);
  } else {
    Inline(bytes, type.name, {header.width, header.height}, alt, html);
  }
  return true;
}

void Pictures::DrawPixels(std::span<const double> numbers, const PixelShape& shape, std::string_view alt, Html& html) {
  Inline(BmpOf(numbers, shape), "image/bmp", {shape.width, shape.height}, alt, html);
}

void Pictures::Inline(ByteView bytes, std::string_view type, const Size& size, std::string_view alt, Html& html) {
  const std::string what = StrCat(alt, ", ", type, ", ", FormatBytes(static_cast<double>(bytes.size())));
  if (bytes.size() > kMaxPictureBytes) return LeaveOut(what, "larger than 256 KiB", html);
  if (bytes_ + bytes.size() > kMaxPicturesBytes) return LeaveOut(what, "this page has 8 MiB of pictures", html);
  ++drawn_;
  bytes_ += bytes.size();
  std::string source = StrCat("data:", type, ";base64,");
  AppendBase64(bytes, source);
  const bool small = size.width <= kSmallSide && size.height <= kSmallSide;
  html.Void("img", {{"src", source},
                    {"alt", what},
                    {"title", what},
                    {"width", StrCat(*size.width)},
                    {"height", StrCat(*size.height)},
                    {"class", small ? "small" : "large"}});
}

void Pictures::LeaveOut(std::string_view what, std::string_view why, Html& html) {
  ++left_out_;
  html.Element("p", {{"class", "left-out"}}, StrCat(what, ": not shown, ", why));
}

}  // namespace ofindex
