#pragma once

#include <cstdint>

namespace ofindex {

/// How an image of another shape is brought to a size.
enum class ImageFit : uint8_t {
  kStretch,  ///< the whole image, scaled in both directions independently
  kCrop,     ///< the largest central part of the right shape
  kPad,      ///< the whole image, centered, with black bars
};

/// A part of an image, and the place where it goes.
struct Placement {
  double left = 0, top = 0, width = 0, height = 0;  ///< of the image, in pixels
  uint32_t to_left = 0, to_top = 0;                 ///< of the array
  uint32_t to_width = 0, to_height = 0;             ///< at least 1
};

/// Returns where an image of `width` by `height` pixels goes in an array of `to_width` by `to_height`. All are 1 or
/// more.
[[nodiscard]] Placement Place(ImageFit fit, uint32_t width, uint32_t height, uint32_t to_width, uint32_t to_height);

/// Returns the largest of 1, 2, 4 and 8 by which both sides of the part can be divided without becoming smaller than
/// its place.
[[nodiscard]] uint32_t Reduction(const Placement& placement);

}  // namespace ofindex
