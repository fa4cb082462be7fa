#pragma once

#include <cstdint>

namespace ofindex {

// Field numbers of example.proto and ofrecord.proto.
inline constexpr uint32_t kContext = 1;       // Example.features, SequenceExample.context
inline constexpr uint32_t kFeatureLists = 2;  // SequenceExample.feature_lists
inline constexpr uint32_t kMapEntry = 1;      // the one field of Features, FeatureLists and OFRecord
inline constexpr uint32_t kEntryKey = 1;
inline constexpr uint32_t kEntryValue = 2;
inline constexpr uint32_t kStep = 1;       // FeatureList.feature
inline constexpr uint32_t kListValue = 1;  // the one field of BytesList, FloatList, DoubleList, Int32List, Int64List

}  // namespace ofindex
