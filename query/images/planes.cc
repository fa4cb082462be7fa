#include "query/images/planes.h"

#include <algorithm>
#include <cstring>

namespace ofindex {
namespace {

uint64_t UpToMultiple(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

bool Planes::Shape(Colors colors, uint32_t width, uint32_t height, uint32_t wide, uint32_t high, uint32_t padding) {
  colors_ = colors;
  width_ = width;
  height_ = height;
  wide_ = wide;
  high_ = high;
  uint64_t bytes = 0;
  std::array<uint64_t, 3> starts = {};
  for (size_t i = 0; i < count(); ++i) {
    const uint64_t columns = (UpToMultiple(width, uint64_t{1} << wide) >> (i == 0 ? 0 : wide)) + padding;
    const uint64_t rows = (UpToMultiple(height, uint64_t{1} << high) >> (i == 0 ? 0 : high)) + padding;
    planes_[i].stride = UpToMultiple(columns, kAlignment);
    starts[i] = bytes;
    bytes += planes_[i].stride * rows;
  }
  if (!memory_.Reserve(bytes)) return false;
  for (size_t i = 0; i < count(); ++i) planes_[i].data = memory_.data() + starts[i];
  return true;
}

void Planes::StoreRgb(const uint8_t* pixels, uint32_t y) {
  uint8_t* const red = row(0, y);
  uint8_t* const green = row(1, y);
  uint8_t* const blue = row(2, y);
  for (size_t x = 0; x < width_; ++x) {
    red[x] = pixels[3 * x];
    green[x] = pixels[3 * x + 1];
    blue[x] = pixels[3 * x + 2];
  }
}

void Planes::FillChromaBlocks() {
  const uint64_t columns = UpToMultiple(width_, uint64_t{1} << wide_);
  const uint64_t rows = UpToMultiple(height_, uint64_t{1} << high_);
  for (uint32_t y = 0; y < height_; ++y) {
    std::fill(row(0, y) + width_, row(0, y) + columns, row(0, y)[width_ - 1]);
  }
  for (uint32_t y = height_; y < rows; ++y) std::memcpy(row(0, y), row(0, height_ - 1), columns);
}

}  // namespace ofindex
