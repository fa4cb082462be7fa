#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"

namespace ofindex {

// Shards made in memory, from docs/record_formats.md and nothing of ours: the checksum below is not the one that the
// program uses, so that the two can disagree.

/// CRC-32C, one bit after the other.
[[nodiscard]] uint32_t SlowCrc32c(std::string_view bytes);

/// The checksum as a TFRecord stores it.
[[nodiscard]] uint32_t SlowMaskedCrc32c(std::string_view bytes);

/// `value` as little-endian bytes.
[[nodiscard]] std::string Le32(uint32_t value);
[[nodiscard]] std::string Le64(uint64_t value);

/// One record: header, payload and footer.
[[nodiscard]] std::string RecordBytes(Framing framing, std::string_view payload);

/// The header of a record that claims `length` payload bytes, with a right checksum.
[[nodiscard]] std::string HeaderOf(Framing framing, uint64_t length);

/// All bytes of a shard of these payloads.
[[nodiscard]] std::string ShardBytes(Framing framing, const std::vector<std::string>& payloads);

/// Where each record of that shard begins, and after them the shard's size.
[[nodiscard]] std::vector<uint64_t> RecordPoints(Framing framing, const std::vector<std::string>& payloads);

/// `count` payloads that all differ: the first one empty, the others of about `bytes` bytes, and of 8 at the least. The
/// same for the same seed.
[[nodiscard]] std::vector<std::string> SomePayloads(size_t count, size_t bytes, uint64_t seed = 1);

}  // namespace ofindex
