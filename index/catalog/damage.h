#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ofindex {

/// Why a byte range of a shard holds no record. The names are stored in indexes and reports, and scripts parse them.
enum class DamageReason : uint8_t {
  kTornTail,      ///< the file ends inside a record, or in zero bytes: a writer was interrupted
  kBadLengthCrc,  ///< TFRecord: the length's checksum is wrong; the walk continued at the next sound record, if any
  kBadLength,     ///< a length that no record can have; nothing after it can be found
  kResyncLimit,   ///< TFRecord: so many false headers that the search for the next record was given up
  // For compressed shards. If the range is empty, no record is known to be lost there.
  kTruncatedStream,    ///< the file ends inside the stream: a writer was interrupted
  kBadDeflate,         ///< bytes that do not inflate; nothing after them can be read
  kBadStreamChecksum,  ///< the checksum after a gzip member or zlib stream does not match the inflated bytes
  kTrailingBytes,      ///< bytes after the stream that belong to no stream
  kSecondStream,       ///< a second zlib stream after the first, which readers of TFRecords do not read either
  kZeroHead,           ///< OFRecord: zero bytes at the front, followed by other bytes
  kLfsPointer,         ///< a Git-LFS pointer in place of a shard: the whole file
};

inline constexpr DamageReason kLastDamageReason = DamageReason::kLfsPointer;

[[nodiscard]] constexpr std::string_view Name(DamageReason reason) {
  switch (reason) {
    case DamageReason::kTornTail: return "torn_tail";
    case DamageReason::kBadLengthCrc: return "bad_length_crc";
    case DamageReason::kBadLength: return "bad_length";
    case DamageReason::kResyncLimit: return "resync_limit";
    case DamageReason::kTruncatedStream: return "cut_stream";
    case DamageReason::kBadDeflate: return "bad_deflate";
    case DamageReason::kBadStreamChecksum: return "bad_stream_checksum";
    case DamageReason::kTrailingBytes: return "trailing_bytes";
    case DamageReason::kSecondStream: return "second_stream";
    case DamageReason::kZeroHead: return "zero_head";
    case DamageReason::kLfsPointer: return "lfs_pointer";
  }
  return "unknown";
}

/// Bytes [begin, end).
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Bytes [begin, end) of a shard, or of its inflated bytes if it is compressed, that hold no record.
struct DamagedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  DamageReason reason = DamageReason::kTornTail;
  std::optional<ByteRange> file = {};  ///< for a compressed shard: the damaged bytes of the file

  friend bool operator==(const DamagedRange&, const DamagedRange&) = default;
};

}  // namespace ofindex
