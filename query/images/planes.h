#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "query/decoding/buffer.h"

namespace ofindex {

/// Maximum number of pixels of an encoded image: a few bytes can claim gigabytes.
inline constexpr uint64_t kMaxPixels = uint64_t{1} << 28;

/// The pixels of an image, 8 bits per sample, one plane for each component. Reusable: memory is kept.
class Planes {
 public:
  enum class Colors : uint8_t {
    kGray,
    kYuv,  ///< ITU-R BT.601, full range, as JPEG has it; chroma may be subsampled, and lies between the luma samples
    kRgb,
  };

  struct Plane {
    uint8_t* data = nullptr;
    size_t stride = 0;  ///< bytes from row to row; a multiple of kAlignment
  };

  /// Of rows, for SIMD.
  static constexpr size_t kAlignment = 64;

  /// Gives the planes memory for an image, uninitialized. The chroma planes of kYuv are 2^`wide` times narrower and
  /// 2^`high` times lower. Rows have room for `padding` more samples, and planes for as many more rows. Returns false
  /// if there is no memory.
  [[nodiscard]] bool Shape(Colors colors, uint32_t width, uint32_t height, uint32_t wide, uint32_t high,
                           uint32_t padding);

  [[nodiscard]] Colors colors() const { return colors_; }
  [[nodiscard]] uint32_t width() const { return width_; }
  [[nodiscard]] uint32_t height() const { return height_; }
  [[nodiscard]] uint32_t wide() const { return wide_; }
  [[nodiscard]] uint32_t high() const { return high_; }
  [[nodiscard]] size_t count() const { return colors_ == Colors::kGray ? 1 : 3; }
  [[nodiscard]] const Plane& plane(size_t i) const { return planes_[i]; }
  [[nodiscard]] uint8_t* row(size_t plane, uint32_t y) const { return planes_[plane].data + y * planes_[plane].stride; }

  /// Stores interleaved RGB as row `y` of three planes.
  void StoreRgb(const uint8_t* pixels, uint32_t y);

  /// Leaves the first plane as a gray image.
  void KeepFirst() { colors_ = Colors::kGray; }

  /// Repeats the last column and row, so that width and height become multiples of the chroma samples' sizes.
  void FillChromaBlocks();

 private:
  Colors colors_ = Colors::kGray;
  uint32_t width_ = 0, height_ = 0;
  uint32_t wide_ = 0, high_ = 0;
  std::array<Plane, 3> planes_ = {};
  Buffer memory_;
};

}  // namespace ofindex
