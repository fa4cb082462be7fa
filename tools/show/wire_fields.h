#pragma once

#include <cstdint>
#include <string_view>

#include "base/record.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// The content of a field of a known message: a message with known fields, or a value.
enum class Holds : uint8_t {
  kUnknown,  ///< anything: also the message of an opaque payload, and everything in an unknown group
  kExample,
  kSequenceExample,
  kOfRecord,
  kFeatures,
  kFeatureEntry,    ///< an entry of a map: a key, and a Feature
  kOfFeatureEntry,  ///< the same for OneFlow's Feature
  kFeatureLists,
  kListEntry,  ///< an entry of a map: a key, and a FeatureList
  kFeatureList,
  kFeature,
  kOfFeature,
  kBytesList,
  kFloatList,
  kDoubleList,
  kInt32List,
  kInt64List,
  kKey,  ///< the first that is not a message
  kBytes,
  kFloat,
  kDouble,
  kInt32,
  kInt64,
};

/// A field as declared in example.proto or ofrecord.proto.
struct KnownField {
  Holds in = Holds::kUnknown;
  uint32_t number = 0;
  std::string_view name = {};
  Holds holds = Holds::kUnknown;
};

[[nodiscard]] constexpr bool IsMessage(Holds holds) { return holds > Holds::kUnknown && holds < Holds::kKey; }

[[nodiscard]] constexpr bool IsMapEntry(Holds holds) {
  return holds == Holds::kFeatureEntry || holds == Holds::kOfFeatureEntry || holds == Holds::kListEntry;
}

/// Returns the wire type of `holds`; a list of numbers may also be kBytes, which is packed. Not defined for kUnknown.
[[nodiscard]] WireType WrittenAs(Holds holds);

/// Returns the message of a payload of `kind`; kUnknown if it is opaque.
[[nodiscard]] Holds MessageOf(PayloadKind kind);

/// Returns field `number` of the message `in`, or null if there is none.
[[nodiscard]] const KnownField* FindField(Holds in, uint32_t number);

}  // namespace ofindex
