#include "tools/serve/records/shown_features.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "tools/media/media_type.h"
#include "tools/serve/requests/answers.h"

namespace ofindex {
namespace {

constexpr size_t kMaxCharacters = 2000;
constexpr size_t kMaxNumbers = 256;
constexpr uint64_t kBytesOfFeature = 800;  // of a document in memory, besides its values

std::string ShownName(ByteView name) { return JsonText(AsText(name)).get<std::string>(); }

bool IsCalled(ByteView exact, std::string_view shown) { return AsText(exact) == shown || ShownName(exact) == shown; }

uint64_t BytesOf(const DecodedRecord& record, FeatureValue value) {
  switch (value.kind) {
    case FeatureKind::kNone: return 0;
    case FeatureKind::kBytes: {
      uint64_t bytes = 0;
      for (const ByteView one : record.bytes(value)) bytes += one.size();
      return bytes;
    }
    case FeatureKind::kFloat:
    case FeatureKind::kInt32: return uint64_t{value.count} * 4;
    case FeatureKind::kDouble:
    case FeatureKind::kInt64: return uint64_t{value.count} * 8;
  }
  return 0;
}

// Sets "media", "text" and "whole" of a value of bytes.
void ShowBytes(ByteView value, size_t values, Allowance& allowance, Json& feature) {
  const MediaType media = MediaTypeOf(value);
  feature["media"] = media.medium == Medium::kBytes ? Json(nullptr) : Json(media.name);
  if (media.medium != Medium::kText) return;
  const uint64_t most = std::min<uint64_t>(value.size(), kMaxCharacters * 4);
  if (!allowance.Take(most)) return;
  const Json text = JsonCut(AsText(value), kMaxCharacters);
  feature["whole"] = values == 1 && text.get_ref<const std::string&>().size() == value.size();
  feature["text"] = text;
}

void ShowNumbers(const DecodedRecord& record, FeatureValue value, Allowance& allowance, Json& feature) {
  FeatureValue shown = value;
  shown.count = std::min<uint32_t>(value.count, kMaxNumbers);
  if (!allowance.Take(uint64_t{shown.count} * 12)) return;
  Json numbers = Json::array();
  if (value.kind == FeatureKind::kFloat) {
    for (const float one : record.floats(shown)) numbers.push_back(JsonReal(AsFloat(double{one})));
  } else if (value.kind == FeatureKind::kDouble) {
    for (const double one : record.doubles(shown)) numbers.push_back(JsonReal(one));
  } else {
    for (const int64_t one : record.integers(shown)) numbers.push_back(JsonInteger(one));
  }
  feature["whole"] = shown.count == value.count;
  feature["values"] = std::move(numbers);
}

Json FeatureDocument(const DecodedRecord& record, std::string name, std::string_view in, FeatureValue value,
                     Allowance& allowance) {
  Json feature = {{"name", std::move(name)}, {"kind", Name(value.kind)}, {"in", in},
                  {"steps", nullptr},        {"count", value.count},     {"bytes", BytesOf(record, value)},
                  {"media", nullptr},        {"text", nullptr},          {"values", nullptr},
                  {"whole", false}};
  if (value.count == 0) {
    feature["whole"] = true;
  } else if (value.kind == FeatureKind::kBytes) {
    ShowBytes(record.bytes(value)[0], value.count, allowance, feature);
  } else if (value.kind != FeatureKind::kNone) {
    ShowNumbers(record, value, allowance, feature);
  }
  return feature;
}

}  // namespace

Json FeaturesOf(const DecodedRecord& record, PayloadKind kind, const std::optional<std::vector<std::string>>& names,
                uint64_t step, Allowance& allowance) {
  const auto is_shown = [&](std::string_view name) {
    return !names || std::find(names->begin(), names->end(), name) != names->end();
  };
  Json features = Json::array();
  for (const Feature& feature : record.features()) {
    std::string name = ShownName(feature.name);
    if (!is_shown(name) || !allowance.Take(name.size() + kBytesOfFeature)) continue;
    const std::string_view in = kind == PayloadKind::kSequenceExample ? "context" : "features";
    features.push_back(FeatureDocument(record, std::move(name), in, feature.value, allowance));
  }
  for (const FeatureList& list : record.feature_lists()) {
    std::string name = ShownName(list.name) + "[]";
    if (!is_shown(name) || !allowance.Take(name.size() + kBytesOfFeature)) continue;
    const std::span<const FeatureValue> steps = record.steps(list);
    const FeatureValue value = steps.empty() ? FeatureValue() : steps[std::min<uint64_t>(step, steps.size() - 1)];
    Json feature = FeatureDocument(record, std::move(name), "feature_lists", value, allowance);
    feature["steps"] = steps.size();
    feature["whole"] = feature["whole"].get<bool>() && steps.size() <= 1;
    features.push_back(std::move(feature));
  }
  return features;
}

Json OpaqueFeature(ByteView payload, Allowance& allowance) {
  Json feature = {{"name", "payload"}, {"kind", Name(FeatureKind::kBytes)},
                  {"in", "payload"},   {"steps", nullptr},
                  {"count", 1},        {"bytes", payload.size()},
                  {"media", nullptr},  {"text", nullptr},
                  {"values", nullptr}, {"whole", false}};
  ShowBytes(payload, 1, allowance, feature);
  return feature;
}

Result<FeatureValue> FindFeature(const DecodedRecord& record, std::string_view name, uint64_t step) {
  for (const Feature& feature : record.features()) {
    if (IsCalled(feature.name, name)) return feature.value;
  }
  for (const FeatureList& list : record.feature_lists()) {
    if (!name.ends_with("[]") || !IsCalled(list.name, name.substr(0, name.size() - 2))) continue;
    if (step < list.step_count) return record.steps(list)[step];
    return Fail(ErrorCode::kFeature,
                StrCat("feature list '", Printable(name), "' has ", Counted(list.step_count, "step"),
                       "; expected one of them, got step ", step),
                "steps are numbered from 0");
  }
  return Fail(ErrorCode::kFeature,
              StrCat("the record has no feature '", Printable(name), "'; expected one that it has"),
              "'api/record' lists the features of a record");
}

}  // namespace ofindex
