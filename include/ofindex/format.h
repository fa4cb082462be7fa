#pragma once

#include <cstdint>
#include <string_view>

#include <ofindex/api.h>

namespace ofindex::v1 {

/// How records are framed in a shard.
enum class Framing : uint8_t {
  kEmpty = 0,     ///< a shard of zero bytes and zero records; compatible with either framing
  kTfRecord = 1,  ///< length and payload, each followed by its CRC32C
  kOfRecord = 2,  ///< length and payload
};

/// How a whole shard is compressed.
enum class Compression : uint8_t {
  kNone = 0,
  kGzip = 1,     ///< RFC 1952
  kZlib = 2,     ///< RFC 1950
  kDeflate = 3,  ///< RFC 1951, without a header: it cannot be recognised, so it is never guessed
};

/// The message type of a payload.
enum class PayloadKind : uint8_t {
  kOpaque = 0,           ///< bytes that match no known message
  kExample = 1,          ///< tensorflow.Example
  kSequenceExample = 2,  ///< tensorflow.SequenceExample
  kOfRecord = 3,         ///< oneflow.OFRecord
};

/// The kind of a feature's values.
enum class FeatureKind : uint8_t {
  kNone = 0,  ///< a feature that is present without a kind: neither an absent feature nor an empty list
  kBytes = 1,
  kFloat = 2,
  kDouble = 3,
  kInt32 = 4,
  kInt64 = 5,
};

/// Return the words that the command and the index use: "tfrecord", "gzip", "sequence_example", "int64".
[[nodiscard]] OFINDEX_API std::string_view Name(Framing framing);
[[nodiscard]] OFINDEX_API std::string_view Name(Compression compression);
[[nodiscard]] OFINDEX_API std::string_view Name(PayloadKind kind);
[[nodiscard]] OFINDEX_API std::string_view Name(FeatureKind kind);

}  // namespace ofindex::v1
