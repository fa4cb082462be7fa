#pragma once

#include <cstdint>

#include "base/record.h"
#include "proto/features.h"

namespace ofindex {

// Field numbers of example.proto and ofrecord.proto.
inline constexpr uint32_t kContext = 1;       // Example.features, SequenceExample.context
inline constexpr uint32_t kFeatureLists = 2;  // SequenceExample.feature_lists
inline constexpr uint32_t kMapEntry = 1;      // the one field of Features, FeatureLists and OFRecord
inline constexpr uint32_t kEntryKey = 1;
inline constexpr uint32_t kEntryValue = 2;
inline constexpr uint32_t kStep = 1;       // FeatureList.feature
inline constexpr uint32_t kListValue = 1;  // the one field of BytesList, FloatList, DoubleList, Int32List, Int64List

/// The field of a Feature that holds values of `kind` in payloads of `payload`: what KindOfField reads; 0 if there is
/// none, as for doubles in an Example.
[[nodiscard]] constexpr uint32_t FieldOfKind(PayloadKind payload, FeatureKind kind) {
  for (uint32_t number = 1; number <= 5; ++number) {
    if (kind != FeatureKind::kNone && KindOfField(payload, number) == kind) return number;
  }
  return 0;
}

}  // namespace ofindex
