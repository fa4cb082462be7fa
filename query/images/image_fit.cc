#include "query/images/image_fit.h"

#include <algorithm>
#include <cmath>

namespace ofindex {
namespace {

// Halves go to the even number, as in Pillow.
uint32_t HalfOf(uint32_t rest) { return static_cast<uint32_t>(std::nearbyint(rest / 2.0)); }

uint32_t Scaled(double side, double scale, uint32_t limit) {
  return static_cast<uint32_t>(std::clamp(std::nearbyint(side * scale), 1.0, static_cast<double>(limit)));
}

}  // namespace

Placement Place(ImageFit fit, uint32_t width, uint32_t height, uint32_t to_width, uint32_t to_height) {
  Placement placement{.width = static_cast<double>(width),
                      .height = static_cast<double>(height),
                      .to_width = to_width,
                      .to_height = to_height};
  const double across = to_width / placement.width;
  const double down = to_height / placement.height;
  if (fit == ImageFit::kCrop) {
    const double scale = std::max(across, down);
    placement.width = std::min(placement.width, to_width / scale);
    placement.height = std::min(placement.height, to_height / scale);
    placement.left = (width - placement.width) / 2;
    placement.top = (height - placement.height) / 2;
  } else if (fit == ImageFit::kPad) {
    const double scale = std::min(across, down);
    placement.to_width = Scaled(placement.width, scale, to_width);
    placement.to_height = Scaled(placement.height, scale, to_height);
    placement.to_left = HalfOf(to_width - placement.to_width);
    placement.to_top = HalfOf(to_height - placement.to_height);
  }
  return placement;
}

uint32_t Reduction(const Placement& placement) {
  uint32_t by = 8;
  while (by > 1 && (placement.width < by * double{1} * placement.to_width ||
                    placement.height < by * double{1} * placement.to_height)) {
    by /= 2;
  }
  return by;
}

}  // namespace ofindex
