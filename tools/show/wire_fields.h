#pragma once

#include <cstdint>
#include <string_view>

#include "base/record.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// What a field of a known message holds: a message with known fields of its own, or a value.
enum class Holds : uint8_t {
  kUnknown,  ///< no telling: also the message of an opaque payload, and whatever is in an unknown group
  kExample,
  kSequenceExample,
  kOfRecord,
  kFeatures,
  kFeatureEntry,    ///< an entry of a map: a key, and a Feature
  kOfFeatureEntry,  ///< the same with OneFlow's Feature
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
  kKey,  ///< the first that is no message
  kBytes,
  kFloat,
  kDouble,
  kInt32,
  kInt64,
};

/// A field as example.proto or ofrecord.proto declares it.
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

/// How one of `holds` is written; a list of numbers may be kBytes instead, which is packed. Not defined for kUnknown.
[[nodiscard]] WireType WrittenAs(Holds holds);

/// The message that a payload of `kind` is; kUnknown if it is opaque.
[[nodiscard]] Holds MessageOf(PayloadKind kind);

/// Field `number` of the message `in`; null if that has no such field.
[[nodiscard]] const KnownField* FindField(Holds in, uint32_t number);

}  // namespace ofindex
