#pragma once

#include <cstdint>
#include <string_view>

#include "query/images/planes.h"

namespace ofindex {

/// Maximum number of pixels of an encoded image: a few bytes can claim gigabytes.
inline constexpr uint64_t kMaxPixels = uint64_t{1} << 28;
inline constexpr std::string_view kTooManyPixels = "it has more than 268435456 pixels";

/// Stores a row of interleaved RGB as row `y` of three planes.
inline void SplitRgb(const uint8_t* row, uint32_t y, Planes& out) {
  uint8_t* const red = out.row(0, y);
  uint8_t* const green = out.row(1, y);
  uint8_t* const blue = out.row(2, y);
  for (uint32_t x = 0; x < out.width(); ++x) {
    red[x] = row[3 * x];
    green[x] = row[3 * x + 1];
    blue[x] = row[3 * x + 2];
  }
}

}  // namespace ofindex
