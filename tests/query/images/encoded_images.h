#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ofindex {

/// A picture: the value of a channel at a pixel.
using Picture = std::function<uint8_t(uint32_t x, uint32_t y, uint32_t channel)>;

struct JpegOptions {
  uint32_t width = 0, height = 0;
  int channels = 3;        ///< 1: gray, 3: RGB, stored as YUV; 4: CMYK as Adobe stores it
  int wide = 1, high = 1;  ///< luma samples per chroma sample
  bool progressive = false;
  bool keep_rgb = false;  ///< store RGB, not YUV
};

[[nodiscard]] std::string JpegOf(const JpegOptions& options, const Picture& picture);

/// Returns a PNG image. `kind` is an spng_color_type: 0 gray, 2 RGB, 4 gray with alpha, 6 RGB with alpha.
[[nodiscard]] std::string PngOf(uint32_t width, uint32_t height, uint8_t kind, uint8_t bits, const Picture& picture);

}  // namespace ofindex
