#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ofindex {

/// How records are framed in a shard. The values are stored in index files: DO NOT CHANGE THEM.
enum class Framing : uint8_t {
  kEmpty = 0,     ///< a shard of zero bytes and zero records; compatible with either framing
  kTfRecord = 1,  ///< u64 length, u32 masked CRC32C of it, payload, u32 masked CRC32C of the payload
  kOfRecord = 2,  ///< u64 length, payload
};

/// How a whole shard is compressed. The values are stored in index files: DO NOT CHANGE THEM.
enum class Compression : uint8_t {
  kNone = 0,
  kGzip = 1,     ///< RFC 1952, one member or more
  kZlib = 2,     ///< RFC 1950
  kDeflate = 3,  ///< RFC 1951, without a header: it cannot be recognised, so it is never guessed
};

/// The message type of a payload. The values are stored in index files: DO NOT CHANGE THEM.
enum class PayloadKind : uint8_t {
  kOpaque = 0,           ///< bytes that match no known message
  kExample = 1,          ///< tensorflow.Example
  kSequenceExample = 2,  ///< tensorflow.SequenceExample
  kOfRecord = 3,         ///< oneflow.OFRecord
};

/// Why a record is bad: its framing is sound, so it has an ordinal, but its payload is not what was written.
/// The values are stored in index files: DO NOT CHANGE THEM.
enum class BadReason : uint8_t {
  kPayloadCrc = 1,  ///< the payload does not match the CRC32C that follows it (TFRecord)
  kMalformed = 2,   ///< the payload is not a message of the shard's payload kind
};

/// Maximum number of records in a block: consecutive records of one shard that an index describes together.
inline constexpr uint32_t kBlockRecords = 65536;

/// The location of a record. A value type: holds no handle and may outlive every reader.
struct RecordLocation {
  uint32_t shard = 0;   ///< index of the shard, from 0
  uint64_t offset = 0;  ///< byte of the shard at which the record's framing begins
  uint64_t length = 0;  ///< payload bytes, without framing

  friend bool operator==(const RecordLocation&, const RecordLocation&) = default;
};

[[nodiscard]] constexpr std::string_view Name(Framing framing) {
  switch (framing) {
    case Framing::kEmpty: return "empty";
    case Framing::kTfRecord: return "tfrecord";
    case Framing::kOfRecord: return "ofrecord";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::string_view Name(Compression compression) {
  switch (compression) {
    case Compression::kNone: return "none";
    case Compression::kGzip: return "gzip";
    case Compression::kZlib: return "zlib";
    case Compression::kDeflate: return "deflate";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::string_view Name(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::kOpaque: return "opaque";
    case PayloadKind::kExample: return "example";
    case PayloadKind::kSequenceExample: return "sequence_example";
    case PayloadKind::kOfRecord: return "ofrecord";
  }
  return "unknown";
}

/// Returns the stable word for `reason`, used in reports and in the index.
[[nodiscard]] constexpr std::string_view Name(BadReason reason) {
  switch (reason) {
    case BadReason::kPayloadCrc: return "payload_crc";
    case BadReason::kMalformed: return "malformed";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::optional<BadReason> ParseBadReason(std::string_view name) {
  for (BadReason reason : {BadReason::kPayloadCrc, BadReason::kMalformed}) {
    if (name == Name(reason)) return reason;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<Framing> ParseFraming(std::string_view name) {
  for (Framing framing : {Framing::kEmpty, Framing::kTfRecord, Framing::kOfRecord}) {
    if (name == Name(framing)) return framing;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<Compression> ParseCompression(std::string_view name) {
  for (Compression compression : {Compression::kNone, Compression::kGzip, Compression::kZlib, Compression::kDeflate}) {
    if (name == Name(compression)) return compression;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<PayloadKind> ParsePayloadKind(std::string_view name) {
  for (PayloadKind kind :
       {PayloadKind::kOpaque, PayloadKind::kExample, PayloadKind::kSequenceExample, PayloadKind::kOfRecord}) {
    if (name == Name(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace ofindex
