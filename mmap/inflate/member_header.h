#pragma once

#include "base/record.h"
#include "base/result.h"
#include "mmap/inflate/input_bytes.h"

namespace ofindex {

/// The outcome of reading the header before the deflate blocks of a member or stream.
enum class MemberHeader {
  kSound,
  kTruncated,  ///< the file ends inside it
  kOther,      ///< these bytes are not a header
};

/// Consumes a header from `input`, with all its fields. Errors: kIo.
[[nodiscard]] Result<MemberHeader> TakeHeader(Compression compression, InputBytes& input);

/// Returns the number of bytes of checksum and length after the deflate blocks.
[[nodiscard]] constexpr int TrailerBytes(Compression compression) {
  switch (compression) {
    case Compression::kGzip: return 8;
    case Compression::kZlib: return 4;
    default: return 0;
  }
}

}  // namespace ofindex
