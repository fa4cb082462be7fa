#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// Returns `bytes` as one zstd frame of at most `limit` bytes; empty if it would be larger. Higher levels take longer.
[[nodiscard]] std::vector<uint8_t> ZstdCompress(ByteView bytes, int level, size_t limit);

/// Decompresses `frame` into `out`. Returns false if the result is not exactly out.size() bytes, for any input.
[[nodiscard]] bool ZstdDecompress(ByteView frame, std::span<uint8_t> out);

}  // namespace ofindex
