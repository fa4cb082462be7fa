#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "query/images/planes.h"

namespace ofindex {

/// Decodes JPEG images, baseline and progressive, of 1, 3 or 4 components. Used by one thread at a time.
class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// Returns, for the width and height of an image, by how much it may be reduced while it is decoded: 1, 2, 4 or 8.
  using ChooseReduction = std::function<uint32_t(uint32_t width, uint32_t height)>;

  /// Decodes `bytes` into `out`, as gray if `gray`, otherwise as it is stored: gray, YUV or RGB.
  ///
  /// An image whose data ends early is an error; other faults in the data that libjpeg reports as warnings are not.
  /// Errors: kFeature; kLimit if there is no memory.
  [[nodiscard]] Result<void> Decode(ByteView bytes, bool gray, const ChooseReduction& reduction, Planes& out);

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace ofindex
