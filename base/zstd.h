#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// `bytes` as one zstd frame of `most` bytes or fewer; empty where it would be larger. Higher levels take longer.
[[nodiscard]] std::vector<uint8_t> ZstdCompress(ByteView bytes, int level, size_t most);

/// Replaces `out` by what `frame` decompresses to. False if that is not exactly out.size() bytes, whatever they are.
[[nodiscard]] bool ZstdDecompress(ByteView frame, std::span<uint8_t> out);

}  // namespace ofindex
