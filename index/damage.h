#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ofindex {

/// Why a byte range of a shard holds no record. The words stand in indexes and reports, and scripts read them.
enum class DamageReason : uint8_t {
  kTornTail,      ///< the file ends inside a record, or in zero bytes: a writer was cut off
  kBadLengthCrc,  ///< TFRecord: the length's checksum does not hold; the walk went on at the next sound record, if any
  kBadLength,     ///< a length that no record can have, so that nothing behind it can be found
  kResyncLimit,   ///< TFRecord: so many false headers that the search for the next record was given up
};

[[nodiscard]] constexpr std::string_view Name(DamageReason reason) {
  switch (reason) {
    case DamageReason::kTornTail: return "torn_tail";
    case DamageReason::kBadLengthCrc: return "bad_length_crc";
    case DamageReason::kBadLength: return "bad_length";
    case DamageReason::kResyncLimit: return "resync_limit";
  }
  return "unknown";
}

/// Bytes [begin, end) of a shard hold no record.
struct DamagedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  DamageReason reason = DamageReason::kTornTail;

  friend bool operator==(const DamagedRange&, const DamagedRange&) = default;
};

}  // namespace ofindex
