#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "proto/features.h"

// What a skimmer takes and gives, and its limits.

namespace ofindex {

/// Bytes of a value that a skimmer keeps; of longer ones it knows the size alone.
inline constexpr uint64_t kMostKeptBytes = 64 << 10;

/// Names that a skimmer knows at once, those of features that are kept whole not counted. Where payloads have more, the
/// first ones in byte order are kept, so that the outcome does not depend on the order of the records.
inline constexpr uint32_t kMostFeatures = 4096;

/// Bytes of the longest name; longer ones are dropped.
inline constexpr uint64_t kMostNameBytes = 1 << 20;

/// Bytes that the names of kMostFeatures may have together, again without those kept whole: where they have more, fewer
/// are kept, still the first ones in byte order.
inline constexpr uint64_t kMostNamesBytes = 16 << 20;

/// What one record has under one name.
struct SkimmedFeature {
  uint32_t feature = 0;  ///< number that the skimmer gave the name
  uint8_t kinds = 0;     ///< bit 1 << FeatureKind of each kind that was set; a feature or step without one sets kNone's
  FeatureKind kind = FeatureKind::kNone;  ///< of the values; kNone where there are none, or where steps differ in kind
  uint32_t count = 0;                     ///< values; of a feature list those of all its steps
  uint64_t bits = 0;  ///< the one value where count is 1: an int64 (int32 widened; a uint64 as its bits), a float's 32
                      ///< bits, a double's 64; of bytes the byte of the payload at which they begin
  uint64_t size = 0;  ///< of the one value where count is 1 and it is bytes
  uint64_t largest = 0;  ///< bytes of the largest value, where they are bytes
  ByteView bytes = {};   ///< the one value where it is bytes of at most kMostKeptBytes
  uint32_t first = 0;    ///< where the values begin in numbers() or texts(), of features that are kept whole and have
                         ///< not exactly one
};

/// A payload too large to be read whole: gives the stretches that are asked for.
class PayloadPages {
 public:
  virtual ~PayloadPages() = default;

  /// At least `n` bytes from byte `offset` of the payload, which has them; `available` says how many there are. Valid
  /// until the next call. nullptr if they cannot be read: the skimming ends, and the caller knows why. `n` is at least
  /// 1 and at most kMostNameBytes. Offsets grow, but for names and values, which are fetched when they prove needed,
  /// and for a record that has a new name, which is read twice.
  [[nodiscard]] virtual const uint8_t* At(uint64_t offset, uint64_t n, uint64_t& available) = 0;
};

}  // namespace ofindex
