#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"

namespace ofindex {

/// A shard that is whole records from its first byte to its last.
struct WholeShard {
  uint64_t records = 0;
  uint64_t bytes = 0;
};

/// Walks all headers of `file`, and checks the last record's payload (TFRecord): what to make sure of before records
/// are written behind it. Errors: kIo; kDamage  the text says at which byte it is no record of `framing`.
[[nodiscard]] Result<WholeShard> CheckWhole(const File& file, Framing framing);

}  // namespace ofindex
