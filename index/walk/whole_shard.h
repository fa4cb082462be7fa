#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"

namespace ofindex {

/// A shard that consists of whole records from its first byte to its last.
struct WholeShard {
  uint64_t records = 0;
  uint64_t bytes = 0;
};

/// Walks all headers of `file` and checks the last record's payload (TFRecord): the check before records are appended.
/// Errors: kIo; kDamage, with the first byte at which no record of `framing` begins.
[[nodiscard]] Result<WholeShard> CheckWhole(const File& file, Framing framing);

}  // namespace ofindex
