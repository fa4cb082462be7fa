#pragma once

#include "base/record.h"
#include "base/result.h"
#include "mmap/inflate/input_bytes.h"

namespace ofindex {

/// What stands before the deflate blocks of a member or stream.
enum class MemberHeader {
  kSound,
  kCut,    ///< the file ends inside it
  kOther,  ///< these bytes are no header
};

/// Takes a header off `input`, whatever fields it has. Errors: kIo.
[[nodiscard]] Result<MemberHeader> TakeHeader(Compression compression, InputBytes& input);

/// Bytes of checksum and length behind the deflate blocks.
[[nodiscard]] constexpr int TrailerBytes(Compression compression) {
  switch (compression) {
    case Compression::kGzip: return 8;
    case Compression::kZlib: return 4;
    default: return 0;
  }
}

}  // namespace ofindex
