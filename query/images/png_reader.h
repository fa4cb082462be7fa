#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "query/images/planes.h"

namespace ofindex {

/// Decodes a PNG image of any kind into `out`: gray if it is stored as gray, otherwise RGB. Transparency is dropped,
/// and 16-bit samples are reduced to 8 bits. Errors: kFeature; kLimit if there is no memory.
[[nodiscard]] Result<void> DecodePng(ByteView bytes, Planes& out);

}  // namespace ofindex
