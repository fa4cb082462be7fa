#include "query/decoding/whole_record.h"

#include <bit>
#include <string_view>

#include "base/text.h"
#include "query/decoding/feature_error.h"

namespace ofindex {
namespace {

uint64_t NumberBytes(FeatureKind kind) { return kind == FeatureKind::kFloat ? sizeof(float) : sizeof(double); }

}  // namespace

Result<void> WholeRecord::Decode(ByteView payload, PayloadKind kind, uint64_t record,
                                 std::vector<FeatureColumn>& columns) {
  if (kind == PayloadKind::kOpaque) {
    return Fail(ErrorCode::kFeature, "the payload is opaque: it has no features",
                "decode Example, SequenceExample and OFRecord payloads; read others as bytes");
  }
  OFINDEX_TRY(record_.Decode(payload, kind));
  for (FeatureColumn& column : columns) OFINDEX_TRY(Put(column, record));
  return {};
}

Result<void> WholeRecord::Put(FeatureColumn& column, uint64_t record) {
  FeatureValues values;
  FeatureFault fault = FeatureFault::kNone;
  switch (Find(column.spec(), values)) {
    case Presence::kAbsent: fault = column.PutAbsent(record); break;
    case Presence::kNoKind:
      fault = column.PutAbsent(record);
      if (fault == FeatureFault::kAbsent) fault = FeatureFault::kNoKind;
      break;
    case Presence::kMixed: fault = FeatureFault::kMixed; break;
    case Presence::kThere: fault = column.Put(values, record); break;
  }
  if (fault == FeatureFault::kNone) return {};
  return tl::unexpected<Error>(FeatureError(column.spec(), values, fault));
}

WholeRecord::Presence WholeRecord::Find(const FeatureSpec& spec, FeatureValues& values) {
  if (const Feature* feature = record_.Find(AsBytes(spec.name))) {
    if (feature->value.kind == FeatureKind::kNone) return Presence::kNoKind;
    values = ValuesOf(feature->value);
    return Presence::kThere;
  }
  const FeatureList* list = FindList(spec.name);
  return list == nullptr ? Presence::kAbsent : JoinSteps(*list, spec, values);
}

const FeatureList* WholeRecord::FindList(const std::string& name) const {
  if (!name.ends_with("[]")) return nullptr;
  const std::string_view written(name.data(), name.size() - 2);
  for (const FeatureList& list : record_.feature_lists()) {
    if (AsText(list.name) == written) return &list;
  }
  return nullptr;
}

FeatureValues WholeRecord::ValuesOf(FeatureValue value) const {
  FeatureValues values{.kind = value.kind, .count = value.count};
  const auto view = [&values](const auto& numbers) {
    values.numbers = reinterpret_cast<const uint8_t*>(numbers.data());
  };
  switch (value.kind) {
    case FeatureKind::kNone: break;
    case FeatureKind::kBytes: values.bytes = record_.bytes(value).data(); break;
    case FeatureKind::kFloat: view(record_.floats(value)); break;
    case FeatureKind::kDouble: view(record_.doubles(value)); break;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: view(record_.integers(value)); break;
  }
  return values;
}

// Steps without values do not determine the kind of the list; a list without values is empty and of any kind.
WholeRecord::Presence WholeRecord::JoinSteps(const FeatureList& list, const FeatureSpec& spec, FeatureValues& values) {
  numbers_.clear();
  strings_.clear();
  values = {};
  for (const FeatureValue& value : record_.steps(list)) {
    if (value.count == 0) continue;
    const FeatureValues step = ValuesOf(value);
    if (values.count != 0 && step.kind != values.kind) return Presence::kMixed;
    values.kind = step.kind;
    values.count += step.count;
    if (step.kind == FeatureKind::kBytes) {
      strings_.insert(strings_.end(), step.bytes, step.bytes + step.count);
    } else {
      numbers_.insert(numbers_.end(), step.numbers, step.numbers + step.count * NumberBytes(step.kind));
    }
  }
  if (values.count == 0) {
    // Returns the last of its kinds; for a number, one that is not bytes.
    values.kind = static_cast<FeatureKind>(std::bit_width(KindsOf(spec.form, spec.type)) - 1);
  }
  values.numbers = numbers_.data();
  values.bytes = strings_.data();
  return Presence::kThere;
}

}  // namespace ofindex
