#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "proto/features.h"

// The input and output of an extractor, and its limits.

namespace ofindex {

/// Maximum size in bytes of a value that an extractor keeps; for longer values it keeps only the size.
inline constexpr uint64_t kMaxKeptBytes = 64 << 10;

/// Maximum number of names that an extractor knows at once, not counting features that are kept whole. If payloads have
/// more names, the first names in byte order are kept, so the result does not depend on the order of records.
inline constexpr uint32_t kMaxFeatures = 4096;

/// Maximum size in bytes of a name; longer names are dropped.
inline constexpr uint64_t kMaxNameBytes = 1 << 20;

/// Maximum total size in bytes of the kMaxFeatures names, again not counting features that are kept whole. If the names
/// are longer in total, fewer of them are kept, still the first in byte order.
inline constexpr uint64_t kMaxNamesBytes = 16 << 20;

/// The byte range of a bytes value in the payload.
struct PayloadRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// The values that one record has under one name.
struct ExtractedFeature {
  uint32_t feature = 0;  ///< number that the extractor assigned to the name
  uint8_t kinds = 0;  ///< bit 1 << FeatureKind of each kind that was set; a feature or step without a kind sets kNone's
  FeatureKind kind = FeatureKind::kNone;  ///< kind of the values; kNone if there are none, or if steps differ in kind
  uint32_t count = 0;                     ///< number of values; for a feature list, of all its steps
  uint64_t bits = 0;     ///< the value if count is 1: an int64 (int32 widened; a uint64 as its bits), a float's 32
                         ///< bits, a double's 64; for bytes, the offset in the payload at which they begin
  uint64_t size = 0;     ///< size of the value if count is 1 and it is bytes
  uint64_t largest = 0;  ///< bytes of the largest value, if they are bytes
  ByteView bytes = {};   ///< the value if count is 1 and it is bytes of at most kMaxKeptBytes
  uint32_t first = 0;    ///< start of the values in numbers(), or in strings() and ranges(), for features that are kept
                         ///< whole and do not have exactly one value
};

/// A payload too large to be read whole, which provides byte ranges on request.
class PayloadPages {
 public:
  virtual ~PayloadPages() = default;

  /// Returns at least `n` bytes from byte `offset`, and sets `available` to the number of bytes returned. Valid until
  /// the next call. Returns nullptr if the bytes cannot be read: extraction then ends, and the implementation knows the
  /// reason. The range lies in the payload; `n` is at least 1 and at most kMaxNameBytes. Offsets increase from call to
  /// call, with two exceptions: names and values are fetched only when needed, and a record with a new name is read
  /// twice.
  [[nodiscard]] virtual const uint8_t* At(uint64_t offset, uint64_t n, uint64_t& available) = 0;
};

}  // namespace ofindex
