#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "proto/feature_slices.h"
#include "proto/features.h"

namespace ofindex {

namespace pb = google::protobuf;

// The content of a message as text that spells every value by its bits: from libprotobuf, and from DecodedRecord.

template <typename T>
void SpellValue(const T& value, std::string* out) {
  if constexpr (std::is_same_v<T, float>) {
    *out += std::to_string(std::bit_cast<uint32_t>(value)) + ",";
  } else if constexpr (std::is_same_v<T, double>) {
    *out += std::to_string(std::bit_cast<uint64_t>(value)) + ",";
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    *out += std::to_string(value.size()) + ":" + std::string(value) + ",";
  } else {
    *out += std::to_string(value) + ",";
  }
}

/// Returns one Feature, named after the field that is set in its oneof.
inline std::string SpellFeature(const pb::Message& feature) {
  const pb::OneofDescriptor* kinds = feature.GetDescriptor()->oneof_decl(0);
  const pb::FieldDescriptor* kind = feature.GetReflection()->GetOneofFieldDescriptor(feature, kinds);
  if (kind == nullptr) return "none();";
  const pb::Message& list = feature.GetReflection()->GetMessage(feature, kind);
  const pb::Reflection& in = *list.GetReflection();
  const pb::FieldDescriptor* value = list.GetDescriptor()->field(0);
  std::string out = kind->name().substr(0, kind->name().find('_')) + "(";
  for (int i = 0; i < in.FieldSize(list, value); ++i) {
    switch (value->type()) {
      case pb::FieldDescriptor::TYPE_BYTES: {
        std::string scratch;
        SpellValue(std::string_view(in.GetRepeatedStringReference(list, value, i, &scratch)), &out);
        break;
      }
      case pb::FieldDescriptor::TYPE_FLOAT: SpellValue(in.GetRepeatedFloat(list, value, i), &out); break;
      case pb::FieldDescriptor::TYPE_DOUBLE: SpellValue(in.GetRepeatedDouble(list, value, i), &out); break;
      case pb::FieldDescriptor::TYPE_INT32: SpellValue(in.GetRepeatedInt32(list, value, i), &out); break;
      default: SpellValue(in.GetRepeatedInt64(list, value, i), &out); break;
    }
  }
  return out + ");";
}

inline std::string SpellFeatureList(const pb::Message& list) {
  const pb::FieldDescriptor* step = list.GetDescriptor()->field(0);
  std::string out = "[";
  for (int i = 0; i < list.GetReflection()->FieldSize(list, step); ++i) {
    out += SpellFeature(list.GetReflection()->GetRepeatedMessage(list, step, i));
  }
  return out + "]";
}

/// Returns the map that is field 1 of `message`. A message without generated code may
/// list a key twice: the last counts.
template <typename Spell>
inline std::string SpellMap(const pb::Message& message, Spell spell) {
  const pb::FieldDescriptor* map = message.GetDescriptor()->field(0);
  std::map<std::string, std::string> entries;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, map); ++i) {
    const pb::Message& entry = message.GetReflection()->GetRepeatedMessage(message, map, i);
    const std::string key = entry.GetReflection()->GetString(entry, entry.GetDescriptor()->FindFieldByNumber(1));
    entries[key] = spell(entry.GetReflection()->GetMessage(entry, entry.GetDescriptor()->FindFieldByNumber(2)));
  }
  std::string out;
  for (const auto& [key, value] : entries) {
    SpellValue(std::string_view(key), &out);
    out += value + "\n";
  }
  return out;
}

/// Returns the content of an Example, SequenceExample or OFRecord, generated or not.
inline std::string SpellOracle(const pb::Message& message) {
  if (message.GetDescriptor()->name() == "OFRecord") return SpellMap(message, SpellFeature) + "--\n";
  const auto part = [&message](int field) -> const pb::Message& {
    return message.GetReflection()->GetMessage(message, message.GetDescriptor()->field(field));
  };
  std::string out = SpellMap(part(0), SpellFeature) + "--\n";
  if (message.GetDescriptor()->field_count() == 2) out += SpellMap(part(1), SpellFeatureList);
  return out;
}

inline std::string SpellValues(const DecodedRecord& record, FeatureValue value) {
  std::string out = std::string(Name(value.kind)) + "(";
  size_t count = 0;
  FeatureSlices slices(record, value, 1 + value.count % 3);
  for (FeatureData slice; slices.Next(&slice); count += slice.count()) {
    switch (value.kind) {
      case FeatureKind::kNone: break;
      case FeatureKind::kBytes:
        for (ByteView bytes : slice.bytes()) SpellValue(AsText(bytes), &out);
        break;
      case FeatureKind::kFloat:
        for (float number : slice.floats()) SpellValue(number, &out);
        break;
      case FeatureKind::kDouble:
        for (double number : slice.doubles()) SpellValue(number, &out);
        break;
      case FeatureKind::kInt32:
      case FeatureKind::kInt64:
        for (int64_t number : slice.integers()) SpellValue(number, &out);
        break;
    }
  }
  return out + (count == value.count ? ");" : ", fewer than counted);");
}

/// Keeps the order in which `record` lists its features, so it must be the order of std::map.
inline std::string SpellOurs(const DecodedRecord& record) {
  std::string out;
  for (const Feature& feature : record.features()) {
    SpellValue(AsText(feature.name), &out);
    out += SpellValues(record, feature.value) + "\n";
  }
  out += "--\n";
  for (const FeatureList& list : record.feature_lists()) {
    SpellValue(AsText(list.name), &out);
    out += "[";
    for (const FeatureValue& step : record.steps(list)) out += SpellValues(record, step);
    out += "]\n";
  }
  return out;
}

}  // namespace ofindex
