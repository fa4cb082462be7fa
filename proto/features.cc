#include "proto/features.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "proto/message_fields.h"

namespace ofindex {
namespace {

[[nodiscard]] bool IsBytes(const WireField& field, uint32_t number) {
  return field.type == WireType::kBytes && field.number == number;
}

/// Calls `decode(nested)` for every field `number` of `message` that holds a message. Returns false if `message` is
/// malformed or `decode` returns false.
template <typename Decode>
[[nodiscard]] bool ForEachMessage(WireReader& message, uint32_t number, Decode decode) {
  WireField field;
  while (message.Next(&field)) {
    if (!IsBytes(field, number)) continue;
    WireReader nested = message.Nested(field.bytes);
    if (!decode(nested)) return false;
  }
  return message.ok();
}

/// Reads one map entry: stores its last key in `*key`, and passes all its values to `decode`, in wire order.
template <typename Decode>
[[nodiscard]] bool ReadEntry(WireReader& entry, ByteView* key, Decode decode) {
  WireField field;
  while (entry.Next(&field)) {
    if (IsBytes(field, kEntryKey)) *key = field.bytes;
    if (!IsBytes(field, kEntryValue)) continue;
    WireReader value = entry.Nested(field.bytes);
    if (!decode(value)) return false;
  }
  return entry.ok();
}

[[nodiscard]] bool Precedes(ByteView a, ByteView b) { return AsText(a) < AsText(b); }
[[nodiscard]] bool Equals(ByteView a, ByteView b) { return AsText(a) == AsText(b); }

/// Sorts by name and keeps the last entry of each name. Later entries have their names at higher addresses.
template <typename Named>
void SortLastWins(std::vector<Named>* entries) {
  std::sort(entries->begin(), entries->end(), [](const Named& a, const Named& b) {
    const int order = AsText(a.name).compare(AsText(b.name));
    return order != 0 ? order < 0 : a.name.data() > b.name.data();
  });
  const auto last = std::unique(entries->begin(), entries->end(),
                                [](const Named& a, const Named& b) { return Equals(a.name, b.name); });
  entries->erase(last, entries->end());
}

/// Does the same for names that were copied, from their order in `entries`.
template <typename Named>
void StableSortLastWins(std::vector<Named>* entries) {
  std::stable_sort(entries->begin(), entries->end(),
                   [](const Named& a, const Named& b) { return Precedes(a.name, b.name); });
  const auto kept = std::unique(entries->rbegin(), entries->rend(),
                                [](const Named& a, const Named& b) { return Equals(a.name, b.name); });
  entries->erase(entries->begin(), kept.base());
}

/// Appends the fixed-size values of `chunk`, whose length is a multiple of their size.
template <typename T>
void AppendFixed(ByteView chunk, std::vector<T>* values) {
  if (chunk.empty()) return;
  const size_t old_size = values->size();
  values->resize(old_size + chunk.size() / sizeof(T));
  std::memcpy(values->data() + old_size, chunk.data(), chunk.size());
}

}  // namespace

Result<void> DecodedRecord::Decode(ByteView payload, PayloadKind kind) {
  outline_ = false;
  return DecodeAll(payload, kind);
}

Result<void> DecodedRecord::DecodeOutline(ByteView payload, PayloadKind kind) {
  outline_ = true;
  return DecodeAll(payload, kind);
}

Result<void> DecodedRecord::DecodeAll(ByteView payload, PayloadKind kind) {
  Clear();
  if (kind == PayloadKind::kOpaque) {
    return Fail(ErrorCode::kUsage,
                "an opaque payload has no features; expected an Example, a SequenceExample or an OFRecord");
  }
  if (payload.size() > kMaxMessageBytes) {
    return Fail(ErrorCode::kLimit,
                StrCat("payload@0: too long for a protobuf message; expected at most ", kMaxMessageBytes,
                       " bytes, got ", payload.size()),
                "read the record as bytes");
  }
  payload_kind_ = kind;
  Malformed malformed;
  WireReader reader(payload, &malformed);
  if (!DecodePayload(reader)) {
    Clear();
    return Fail(ErrorCode::kDamage, Describe(malformed));
  }
  if (outline_) {
    StableSortLastWins(&features_);
    StableSortLastWins(&lists_);
  } else {
    SortLastWins(&features_);
    SortLastWins(&lists_);
  }
  return {};
}

void DecodedRecord::Clear() {
  features_.clear();
  lists_.clear();
  steps_.clear();
  bytes_.clear();
  floats_.clear();
  doubles_.clear();
  integers_.clear();
  value_lists_.clear();
  names_.clear();
}

const Feature* DecodedRecord::Find(ByteView name) const {
  const auto found = std::lower_bound(features_.begin(), features_.end(), name,
                                      [](const Feature& feature, ByteView n) { return Precedes(feature.name, n); });
  return found != features_.end() && Equals(found->name, name) ? &*found : nullptr;
}

bool DecodedRecord::DecodePayload(WireReader& payload) {
  if (payload_kind_ == PayloadKind::kOfRecord) return DecodeFeatures(payload);
  WireField field;
  while (payload.Next(&field)) {
    if (field.type != WireType::kBytes) continue;
    WireReader nested = payload.Nested(field.bytes);
    if (field.number == kContext) {
      if (!DecodeFeatures(nested)) return false;
    } else if (field.number == kFeatureLists && payload_kind_ == PayloadKind::kSequenceExample) {
      if (!DecodeFeatureLists(nested)) return false;
    }
  }
  return payload.ok();
}

bool DecodedRecord::DecodeFeatures(WireReader& features) {
  return ForEachMessage(features, kMapEntry, [this](WireReader& entry) { return DecodeFeatureEntry(entry); });
}

bool DecodedRecord::DecodeFeatureEntry(WireReader& entry) {
  Feature feature{.name = entry.rest().first(0)};
  if (!ReadEntry(entry, &feature.name, [&](WireReader& value) { return DecodeFeature(value, &feature.value); })) {
    return false;
  }
  if (outline_) feature.name = Kept(feature.name);
  features_.push_back(feature);
  return true;
}

bool DecodedRecord::DecodeFeatureLists(WireReader& lists) {
  return ForEachMessage(lists, kMapEntry, [this](WireReader& entry) {
    FeatureList list{.name = entry.rest().first(0), .first_step = static_cast<uint32_t>(steps_.size())};
    if (!ReadEntry(entry, &list.name, [this](WireReader& steps) { return DecodeSteps(steps); })) return false;
    list.step_count = static_cast<uint32_t>(steps_.size()) - list.first_step;
    if (outline_) list.name = Kept(list.name);
    lists_.push_back(list);
    return true;
  });
}

bool DecodedRecord::DecodeSteps(WireReader& list) {
  return ForEachMessage(list, kStep, [this](WireReader& feature) {
    FeatureValue step;
    if (!DecodeFeature(feature, &step)) return false;
    steps_.push_back(step);
    return true;
  });
}

bool DecodedRecord::DecodeFeature(WireReader& feature, FeatureValue* value) {
  WireField field;
  while (feature.Next(&field)) {
    const FeatureKind kind = KindOfField(payload_kind_, field.number);
    if (kind == FeatureKind::kNone || field.type != WireType::kBytes) continue;
    WireReader list = feature.Nested(field.bytes);
    if (outline_) {
      if (!OutlineList(list, kind, field.bytes, value)) return false;
      continue;
    }
    if (kind != value->kind) *value = {.kind = kind, .first = Size(kind)};
    if (!DecodeList(list, kind)) return false;
    value->count = Size(kind) - value->first;
  }
  return feature.ok();
}

bool DecodedRecord::DecodeList(WireReader& list, FeatureKind kind) {
  WireField field;
  while (list.Next(&field)) {
    if (field.number != kListValue) continue;
    if (field.type == ValueType(kind)) {
      Append(kind, field);
    } else if (field.type == WireType::kBytes && !DecodePacked(list, field.bytes, kind)) {
      return false;
    }
  }
  return list.ok();
}

bool DecodedRecord::DecodePacked(WireReader& list, ByteView chunk, FeatureKind kind) {
  if (kind == FeatureKind::kFloat) {
    if (chunk.size() % sizeof(float) != 0) return list.Reject(WireFault::kPackedSize, chunk);
    AppendFixed(chunk, &floats_);
    return true;
  }
  if (kind == FeatureKind::kDouble) {
    if (chunk.size() % sizeof(double) != 0) return list.Reject(WireFault::kPackedSize, chunk);
    AppendFixed(chunk, &doubles_);
    return true;
  }
  WireReader packed = list.Packed(chunk);
  uint64_t varint = 0;
  while (packed.NextVarint(&varint)) integers_.push_back(IntegerOf(kind, varint));
  return packed.ok();
}

bool DecodedRecord::OutlineList(WireReader& list, FeatureKind kind, ByteView bytes, FeatureValue* value) {
  if (kind != value->kind) *value = {.kind = kind, .first = static_cast<uint32_t>(value_lists_.size())};
  value_lists_.push_back(bytes);
  WireField field;
  while (list.Next(&field)) {
    if (field.number != kListValue) continue;
    if (field.type == ValueType(kind)) {
      ++value->count;
    } else if (field.type == WireType::kBytes && !CountPacked(list, field.bytes, kind, &value->count)) {
      return false;
    }
  }
  return list.ok();
}

bool DecodedRecord::CountPacked(WireReader& list, ByteView chunk, FeatureKind kind, uint32_t* count) const {
  if (kind == FeatureKind::kFloat || kind == FeatureKind::kDouble) {
    const size_t size = kind == FeatureKind::kFloat ? sizeof(float) : sizeof(double);
    *count += static_cast<uint32_t>(chunk.size() / size);
    return chunk.size() % size == 0 || list.Reject(WireFault::kPackedSize, chunk);
  }
  if (const uint64_t varints = CountVarints(chunk); varints != 0) {
    *count += static_cast<uint32_t>(varints);
    return true;
  }
  WireReader packed = list.Packed(chunk);  // empty or malformed
  uint64_t varint = 0;
  while (packed.NextVarint(&varint)) ++*count;
  return packed.ok();
}

// Returns a copy of `name` that lives as long as the content.
ByteView DecodedRecord::Kept(ByteView name) {
  constexpr size_t kPieceBytes = size_t{4} << 10;
  if (names_.empty() || names_.back().capacity() - names_.back().size() < name.size()) {
    names_.emplace_back().reserve(std::max(kPieceBytes, name.size()));
  }
  std::string& piece = names_.back();
  const size_t begin = piece.size();
  piece.append(AsText(name));
  return AsBytes(piece).subspan(begin);
}

void DecodedRecord::Append(FeatureKind kind, const WireField& field) {
  switch (kind) {
    case FeatureKind::kNone: return;
    case FeatureKind::kBytes: bytes_.push_back(field.bytes); return;
    case FeatureKind::kFloat: floats_.push_back(std::bit_cast<float>(static_cast<uint32_t>(field.value))); return;
    case FeatureKind::kDouble: doubles_.push_back(std::bit_cast<double>(field.value)); return;
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: integers_.push_back(IntegerOf(kind, field.value)); return;
  }
}

uint32_t DecodedRecord::Size(FeatureKind kind) const {
  switch (kind) {
    case FeatureKind::kNone: return 0;
    case FeatureKind::kBytes: return static_cast<uint32_t>(bytes_.size());
    case FeatureKind::kFloat: return static_cast<uint32_t>(floats_.size());
    case FeatureKind::kDouble: return static_cast<uint32_t>(doubles_.size());
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: return static_cast<uint32_t>(integers_.size());
  }
  return 0;
}

}  // namespace ofindex
