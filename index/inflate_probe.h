#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"

namespace ofindex {

/// The compression whose header `head` begins with. A header proves nothing: 1f 8b 08 00 ... is also an OFRecord of
/// 559,903 bytes, 78 9c ... one of 40,056.
[[nodiscard]] std::optional<Compression> CompressionHeader(ByteView head);

/// Inflates the front of a stream, up to `most` bytes of output. nullopt unless `head` is a sound beginning of a stream
/// of `compression`; `head` may end in the middle of it.
[[nodiscard]] std::optional<std::vector<uint8_t>> InflateFront(Compression compression, ByteView head, size_t most);

}  // namespace ofindex
