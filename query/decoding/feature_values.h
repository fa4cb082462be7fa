#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "proto/features.h"

namespace ofindex {

/// One record's values of one feature, from any source. A view.
struct FeatureValues {
  FeatureKind kind = FeatureKind::kNone;
  uint64_t count = 0;
  const uint8_t* numbers = nullptr;  ///< int64_t for both kinds of integers, float or double; not aligned
  const ByteView* bytes = nullptr;
};

/// The reason why a record's feature cannot be put in an array.
enum class FeatureFault : uint8_t {
  kNone,
  kAbsent,    ///< not in the record, and no default
  kNoKind,    ///< in the record without a kind, and no default
  kKind,      ///< values of a kind that cannot become this type
  kMixed,     ///< a feature list whose steps differ in kind
  kCount,     ///< more or fewer values than expected
  kValue,     ///< a value that does not fit the type
  kStrings,   ///< for kRaw and kMade: not exactly one byte string
  kItemSize,  ///< for kRaw: bytes are not a whole number of items
  kTooMany,   ///< for kRaw: more items than expected
  kTooFew,    ///< for kRaw: fewer items than expected
  kNotMade,   ///< for kMade: the decoder failed
  kMemory,    ///< no memory for the values
};

}  // namespace ofindex
