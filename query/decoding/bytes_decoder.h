#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace ofindex {

/// Makes the items of a record's array from one byte string, as an image decoder does. Thread-safe.
class BytesDecoder {
 public:
  virtual ~BytesDecoder() = default;

  /// Writes the items to `to`, which has room for as many as the spec has. Fails in the same way each time.
  /// Errors: their messages follow "feature 'NAME': ".
  [[nodiscard]] virtual Result<void> Decode(ByteView bytes, uint8_t* to) const = 0;
};

}  // namespace ofindex
