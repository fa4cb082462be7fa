#include "tools/show/wire_fields.h"

#include <algorithm>
#include <array>

namespace ofindex {
namespace {

// From the schemas proto/example.proto and proto/ofrecord.proto.
constexpr auto kFields = std::to_array<KnownField>({
    {Holds::kExample, 1, "features", Holds::kFeatures},
    {Holds::kSequenceExample, 1, "context", Holds::kFeatures},
    {Holds::kSequenceExample, 2, "feature_lists", Holds::kFeatureLists},
    {Holds::kOfRecord, 1, "feature", Holds::kOfFeatureEntry},
    {Holds::kFeatures, 1, "feature", Holds::kFeatureEntry},
    {Holds::kFeatureEntry, 1, "key", Holds::kKey},
    {Holds::kFeatureEntry, 2, "value", Holds::kFeature},
    {Holds::kOfFeatureEntry, 1, "key", Holds::kKey},
    {Holds::kOfFeatureEntry, 2, "value", Holds::kOfFeature},
    {Holds::kFeatureLists, 1, "feature_list", Holds::kListEntry},
    {Holds::kListEntry, 1, "key", Holds::kKey},
    {Holds::kListEntry, 2, "value", Holds::kFeatureList},
    {Holds::kFeatureList, 1, "feature", Holds::kFeature},
    {Holds::kFeature, 1, "bytes_list", Holds::kBytesList},
    {Holds::kFeature, 2, "float_list", Holds::kFloatList},
    {Holds::kFeature, 3, "int64_list", Holds::kInt64List},
    {Holds::kOfFeature, 1, "bytes_list", Holds::kBytesList},
    {Holds::kOfFeature, 2, "float_list", Holds::kFloatList},
    {Holds::kOfFeature, 3, "double_list", Holds::kDoubleList},
    {Holds::kOfFeature, 4, "int32_list", Holds::kInt32List},
    {Holds::kOfFeature, 5, "int64_list", Holds::kInt64List},
    {Holds::kBytesList, 1, "value", Holds::kBytes},
    {Holds::kFloatList, 1, "value", Holds::kFloat},
    {Holds::kDoubleList, 1, "value", Holds::kDouble},
    {Holds::kInt32List, 1, "value", Holds::kInt32},
    {Holds::kInt64List, 1, "value", Holds::kInt64},
});

}  // namespace

WireType WrittenAs(Holds holds) {
  switch (holds) {
    case Holds::kFloat: return WireType::kFixed32;
    case Holds::kDouble: return WireType::kFixed64;
    case Holds::kInt32:
    case Holds::kInt64: return WireType::kVarint;
    default: return WireType::kBytes;
  }
}

Holds MessageOf(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::kExample: return Holds::kExample;
    case PayloadKind::kSequenceExample: return Holds::kSequenceExample;
    case PayloadKind::kOfRecord: return Holds::kOfRecord;
    default: return Holds::kUnknown;
  }
}

const KnownField* FindField(Holds in, uint32_t number) {
  const auto* found = std::find_if(kFields.begin(), kFields.end(),
                                   [&](const KnownField& field) { return field.in == in && field.number == number; });
  return found != kFields.end() ? found : nullptr;
}

}  // namespace ofindex
