#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "proto/features.h"

namespace ofindex {

/// The values that one record has of one feature, wherever they come from. Views them.
struct FeatureValues {
  FeatureKind kind = FeatureKind::kNone;
  uint64_t count = 0;
  const uint8_t* numbers = nullptr;  ///< int64_t of both kinds of integers, float or double; not aligned
  const ByteView* bytes = nullptr;
};

/// What keeps a feature of a record from becoming a part of an array.
enum class FeatureFault : uint8_t {
  kNone,
  kAbsent,    ///< not in the record, and no default
  kNoKind,    ///< in the record without a kind, and no default
  kKind,      ///< values of a kind that does not become this type
  kMixed,     ///< a feature list, steps of which differ in kind
  kCount,     ///< more or fewer values than expected
  kValue,     ///< a value that does not fit the type
  kStrings,   ///< of kRaw: not exactly one byte string
  kItemSize,  ///< of kRaw: bytes that are no whole number of items
  kTooMany,   ///< of kRaw: more items than expected
  kTooFew,    ///< of kRaw: fewer
  kMemory,    ///< there is no memory for them
};

}  // namespace ofindex
