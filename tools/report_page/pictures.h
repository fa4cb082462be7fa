#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "tools/report_page/html.h"

namespace ofindex {

/// The largest picture of a page, in bytes, and all of them together.
inline constexpr uint64_t kMaxPictureBytes = uint64_t{256} << 10;
inline constexpr uint64_t kMaxPicturesBytes = uint64_t{8} << 20;

/// The most pixels of a picture: a few bytes may announce as many as fill a browser's memory.
inline constexpr uint64_t kMaxPicturePixels = uint64_t{40} << 20;

/// The pixels of an array: rows, columns, and 1, 3 or 4 numbers for each pixel.
struct PixelShape {
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t channels = 1;

  [[nodiscard]] uint64_t numbers() const { return uint64_t{height} * width * channels; }
};

/// Parses "28x28" or "32x32x3". Nothing if it is neither, or a side is 0 or above 4096, or there are other channels.
[[nodiscard]] std::optional<PixelShape> ParsePixelShape(std::string_view text);

/// Returns numbers as a picture in the format BMP, which every browser draws. Numbers from 0 to 1, or else from 0 to
/// 255, are taken for the brightness; otherwise the least is black and the greatest white. A fourth channel is ignored.
/// There are `shape.numbers()` numbers.
[[nodiscard]] std::vector<uint8_t> BmpOf(std::span<const double> numbers, const PixelShape& shape);

/// The pictures of a page, which are part of it. Only what a browser decodes as an image is ever called one: JPEG, PNG,
/// GIF or WebP by its first bytes, or pixels that BmpOf() wrote.
class Pictures {
 public:
  /// Writes `bytes` as a picture with the text `alt`, or what is left out and why. Returns false if the bytes are not
  /// an image; then nothing is written.
  [[nodiscard]] bool Draw(ByteView bytes, std::string_view alt, Html& html);

  /// Writes pixels as a picture.
  void DrawPixels(std::span<const double> numbers, const PixelShape& shape, std::string_view alt, Html& html);

  [[nodiscard]] uint64_t drawn() const { return drawn_; }
  [[nodiscard]] uint64_t left_out() const { return left_out_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  struct Size {
    std::optional<uint32_t> width;
    std::optional<uint32_t> height;
  };

  void Inline(ByteView bytes, std::string_view type, const Size& size, std::string_view alt, Html& html);
  void LeaveOut(std::string_view what, std::string_view why, Html& html);

  uint64_t drawn_ = 0;
  uint64_t left_out_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace ofindex
