#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"

namespace ofindex {

// Shards made in memory from docs/record_formats.md alone. Their CRC-32C is implemented here, so that tests can compare
// it with the program's.

/// Short names of the framings, for tables.
inline constexpr Framing kTf = Framing::kTfRecord;
inline constexpr Framing kOf = Framing::kOfRecord;

/// Computes CRC-32C bit by bit.
[[nodiscard]] uint32_t SlowCrc32c(std::string_view bytes);

/// Returns the masked CRC-32C of `bytes`, as a TFRecord stores it.
[[nodiscard]] uint32_t SlowMaskedCrc32c(std::string_view bytes);

/// Returns `value` as little-endian bytes.
[[nodiscard]] std::string Le32(uint32_t value);
[[nodiscard]] std::string Le64(uint64_t value);

/// Returns one record: header, payload and footer.
[[nodiscard]] std::string RecordBytes(Framing framing, std::string_view payload);

/// Returns the header of a record that claims `length` payload bytes, with a valid checksum.
[[nodiscard]] std::string HeaderOf(Framing framing, uint64_t length);

/// Returns all bytes of a shard with these payloads.
[[nodiscard]] std::string ShardBytes(Framing framing, const std::vector<std::string>& payloads);

/// Returns the offset of each record in a shard with these payloads, followed by the size of the shard.
[[nodiscard]] std::vector<uint64_t> RecordBoundaries(Framing framing, const std::vector<std::string>& payloads);

/// Returns `count` distinct payloads: the first is empty, the others have about `bytes` bytes, and at least 8. The same
/// seed gives the same payloads.
[[nodiscard]] std::vector<std::string> SomePayloads(size_t count, size_t bytes, uint64_t seed = 1);

}  // namespace ofindex
