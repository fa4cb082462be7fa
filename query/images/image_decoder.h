#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "base/threads.h"
#include "query/decoding/feature_spec.h"
#include "query/images/image_fit.h"

namespace ofindex {

/// The arrays that images become: uint8, of `height` rows of `width` pixels.
struct ImageShape {
  enum class Layout : uint8_t {
    kRows,    ///< (height, width, channels), as PIL and TensorFlow have it
    kPlanes,  ///< (channels, height, width), as torch has it
  };

  uint32_t width = 0, height = 0;  ///< 1 to kMaxSide
  bool gray = false;               ///< one channel: luma, as ITU-R BT.601 defines it; otherwise RGB
  ImageFit fit = ImageFit::kStretch;
  Layout layout = Layout::kRows;

  static constexpr uint32_t kMaxSide = 16384;

  [[nodiscard]] uint64_t values() const { return uint64_t{width} * height * (gray ? 1 : 3); }
};

/// Decodes JPEG and PNG images, scaled to one size. JPEG images are reduced while they are decoded, if they are at
/// least twice as large. The orientation in EXIF data and color profiles are ignored.
class ImageDecoder : public BytesDecoder {
 public:
  /// Errors: kUsage if a side is 0 or more than kMaxSide.
  [[nodiscard]] static Result<std::shared_ptr<const ImageDecoder>> Of(const ImageShape& shape);

  ~ImageDecoder() override;

  /// Errors: kFeature if `bytes` are not a JPEG or PNG image, or one that is damaged or too large; kLimit.
  [[nodiscard]] Result<void> Decode(ByteView bytes, uint8_t* to) const override;

  [[nodiscard]] uint64_t bytes() const override { return shape_.values(); }

 private:
  struct Tools;  // of one thread

  explicit ImageDecoder(const ImageShape& shape);
  [[nodiscard]] Result<void> DecodeWith(Tools& tools, ByteView bytes, uint8_t* to) const;
  [[nodiscard]] Result<Placement> ReadPlanes(Tools& tools, ByteView bytes) const;
  void Store(const Tools& tools, const Placement& placement, uint8_t* to) const;

  ImageShape shape_;
  mutable Spares<Tools> tools_;
};

}  // namespace ofindex
