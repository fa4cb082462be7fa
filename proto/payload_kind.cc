#include "proto/payload_kind.h"

#include <string_view>

#include "base/text.h"
#include "proto/features.h"
#include "proto/wire/wire.h"

namespace ofindex {
namespace {

[[nodiscard]] bool IsStrictKey(std::string_view key) { return !key.empty() && IsUtf8(key) && !HasControl(key); }

/// Returns true if every field of `message` is field 1, holds a message, and passes `is_strict`.
template <typename IsStrict>
[[nodiscard]] bool HoldsOnly(WireReader message, IsStrict is_strict) {
  WireField field;
  while (message.Next(&field)) {
    if (field.number != 1 || field.type != WireType::kBytes) return false;
    if (!is_strict(message.Nested(field.bytes))) return false;
  }
  return message.ok();
}

/// Returns true if `entry` is one strict key and one value that passes `is_strict`, in either order.
template <typename IsStrict>
[[nodiscard]] bool IsStrictEntry(WireReader entry, IsStrict is_strict) {
  int keys = 0;
  int values = 0;
  WireField field;
  while (entry.Next(&field)) {
    if (field.type != WireType::kBytes) return false;
    if (field.number == 1) {
      if (!IsStrictKey(AsText(field.bytes))) return false;
      ++keys;
    } else {
      if (field.number != 2 || !is_strict(entry.Nested(field.bytes))) return false;
      ++values;
    }
  }
  return entry.ok() && keys == 1 && values == 1;
}

[[nodiscard]] bool IsStrictPacked(WireReader packed, FeatureKind kind) {
  if (kind == FeatureKind::kFloat) return packed.rest().size() % sizeof(float) == 0;
  if (kind == FeatureKind::kDouble) return packed.rest().size() % sizeof(double) == 0;
  uint64_t value = 0;
  while (packed.NextVarint(&value)) continue;
  return packed.ok();
}

[[nodiscard]] bool IsStrictList(WireReader list, FeatureKind kind) {
  WireField field;
  while (list.Next(&field)) {
    if (field.number != 1) return false;
    if (field.type == ValueType(kind)) continue;
    if (field.type != WireType::kBytes || !IsStrictPacked(list.Packed(field.bytes), kind)) return false;
  }
  return list.ok();
}

[[nodiscard]] bool IsStrictFeature(WireReader feature, PayloadKind payload) {
  WireField field;
  if (!feature.Next(&field)) return feature.ok();
  const FeatureKind kind = KindOfField(payload, field.number);
  if (kind == FeatureKind::kNone || field.type != WireType::kBytes) return false;
  if (!IsStrictList(feature.Nested(field.bytes), kind)) return false;
  return feature.rest().empty();
}

[[nodiscard]] bool IsStrictFeatures(WireReader features, PayloadKind payload) {
  return HoldsOnly(features, [payload](WireReader entry) {
    return IsStrictEntry(entry, [payload](WireReader feature) { return IsStrictFeature(feature, payload); });
  });
}

[[nodiscard]] bool IsStrictFeatureLists(WireReader lists) {
  return HoldsOnly(lists, [](WireReader entry) {
    return IsStrictEntry(entry, [](WireReader list) {
      return HoldsOnly(list, [](WireReader step) { return IsStrictFeature(step, PayloadKind::kSequenceExample); });
    });
  });
}

/// Returns kSequenceExample if there is a field 2, otherwise kExample; kOpaque if the payload fails the strict rule.
[[nodiscard]] PayloadKind StrictExampleKind(WireReader payload) {
  PayloadKind kind = PayloadKind::kExample;
  WireField field;
  while (payload.Next(&field)) {
    if (field.type != WireType::kBytes) return PayloadKind::kOpaque;
    const WireReader nested = payload.Nested(field.bytes);
    if (field.number == 1) {
      if (!IsStrictFeatures(nested, PayloadKind::kExample)) return PayloadKind::kOpaque;
    } else if (field.number == 2 && IsStrictFeatureLists(nested)) {
      kind = PayloadKind::kSequenceExample;
    } else {
      return PayloadKind::kOpaque;
    }
  }
  return payload.ok() ? kind : PayloadKind::kOpaque;
}

}  // namespace

std::optional<PayloadKind> StrictPayloadKind(ByteView payload) {
  if (payload.empty()) return std::nullopt;
  if (payload.size() > kMaxMessageBytes) return PayloadKind::kOpaque;
  Malformed malformed;
  const PayloadKind kind = StrictExampleKind(WireReader(payload, &malformed));
  if (kind != PayloadKind::kOpaque) return kind;
  malformed = {};
  const bool is_of_record = IsStrictFeatures(WireReader(payload, &malformed), PayloadKind::kOfRecord);
  return is_of_record ? PayloadKind::kOfRecord : PayloadKind::kOpaque;
}

void PayloadVote::Add(std::optional<PayloadKind> vote) {
  if (!vote) return;
  switch (*vote) {
    case PayloadKind::kOpaque: ++opaque_count_; break;
    case PayloadKind::kExample: ++example_count_; break;
    case PayloadKind::kSequenceExample: ++sequence_example_count_; break;
    case PayloadKind::kOfRecord: ++of_record_count_; break;
  }
}

PayloadKind PayloadVote::Winner() const {
  const uint64_t example_family = example_count_ + sequence_example_count_;
  if (example_family + of_record_count_ <= opaque_count_ || example_family == of_record_count_) {
    return PayloadKind::kOpaque;
  }
  if (of_record_count_ > example_family) return PayloadKind::kOfRecord;
  return sequence_example_count_ > 0 ? PayloadKind::kSequenceExample : PayloadKind::kExample;
}

}  // namespace ofindex
