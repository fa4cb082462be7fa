#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "query/decoding/feature_spec.h"

namespace ofindex {

/// Hashes JPEG and PNG images such that few of 128 bits change if an image is compressed again, scaled, made a little
/// brighter or cut by a little: whether each of the 128 lowest frequencies of its gray thumbnail is stronger than their
/// median. Mirrored and turned images have other hashes; the orientation in EXIF data is ignored, as in ImageDecoder.
class PerceptualHash : public BytesDecoder {
 public:
  static constexpr uint64_t kBytes = 16;

  [[nodiscard]] static Result<std::shared_ptr<const PerceptualHash>> Make();

  /// Writes zeros if the image is plain: if what it shows is too faint for bits that are more than chance. Errors:
  /// those of ImageDecoder::Decode.
  [[nodiscard]] Result<void> Decode(ByteView bytes, uint8_t* to) const override;

  [[nodiscard]] uint64_t bytes() const override { return kBytes; }

 private:
  explicit PerceptualHash(std::shared_ptr<const BytesDecoder> thumbnails) : thumbnails_(std::move(thumbnails)) {}

  std::shared_ptr<const BytesDecoder> thumbnails_;
};

}  // namespace ofindex
