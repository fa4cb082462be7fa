#include "tools/packing/pack_schema.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ofindex {
namespace {

using JsonValue = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, SourceType>, 17> kTypes = {{
    {"boolean", SourceType::kBoolean},
    {"byte", SourceType::kByte},
    {"char", SourceType::kChar},
    {"short", SourceType::kShort},
    {"int", SourceType::kInt},
    {"long", SourceType::kLong},
    {"bigint", SourceType::kBigint},
    {"float", SourceType::kFloat},
    {"double", SourceType::kDouble},
    {"decimal", SourceType::kDecimal},
    {"string", SourceType::kString},
    {"bytes", SourceType::kBytes},
    {"enum", SourceType::kEnum},
    {"date", SourceType::kDate},
    {"time", SourceType::kTime},
    {"timestamp", SourceType::kTimestamp},
    {"choice", SourceType::kChoice},
}};

// The kinds of features under their protobuf names, for users who know the messages.
constexpr std::array<std::pair<std::string_view, SourceType>, 2> kKinds = {
    {{"int32", SourceType::kInt}, {"int64", SourceType::kLong}}};

constexpr size_t kLongestNameShown = 64;  // bytes
constexpr int kMaxDepth = 100;            // of nested records

std::optional<SourceType> TypeNamed(std::string_view name) {
  for (const auto& [text, type] : kTypes) {
    if (text == name) return type;
  }
  for (const auto& [text, type] : kKinds) {
    if (text == name) return type;
  }
  return std::nullopt;
}

// Returns T if `text` is "outer<T>".
std::optional<std::string_view> Inside(std::string_view outer, std::string_view text) {
  if (!text.starts_with(outer) || !text.ends_with('>') || text.substr(outer.size(), 1) != "<") return std::nullopt;
  return text.substr(outer.size() + 1, text.size() - outer.size() - 2);
}

std::string TypesHint() {
  std::string names;
  for (const auto& entry : kTypes) names += StrCat(names.empty() ? "" : ", ", entry.first);
  return StrCat("types are ", names, "; array<T>, map<T>, and objects of them");
}

Result<void> AddType(const std::string& name, std::string_view text, PackSchema& schema) {
  PackFeature feature{.name = name};
  const std::string_view whole = text;
  const std::optional<std::string_view> values = Inside("map", text);
  if (values) text = *values;
  int arrays = 0;
  for (std::optional<std::string_view> inner = Inside("array", text); inner; inner = Inside("array", text)) {
    text = *inner;
    ++arrays;
  }
  feature.type = TypeNamed(text);
  if (arrays > 0 && feature.type == SourceType::kByte) {
    feature.type = SourceType::kByteArray;
    --arrays;
  }
  feature.steps = arrays > 1;
  if (!feature.type) {
    return Fail(ErrorCode::kFormat, StrCat("'", Printable(name), "': no type '", Printable(whole), "'"), TypesHint());
  }
  (values ? schema.maps : schema.features).push_back(std::move(feature));
  return {};
}

Result<void> AddMembers(const std::string& before, const JsonValue& object, int depth, PackSchema& schema) {
  if (depth > kMaxDepth) {
    return Fail(ErrorCode::kFormat,
                StrCat("'", Printable(before), "...': expected at most ", kMaxDepth, " records inside one another"),
                "flatten the records");
  }
  for (const auto& [key, value] : object.items()) {
    const std::string name = before + key;
    if (value.is_object()) {
      OFINDEX_TRY(AddMembers(name + ".", value, depth + 1, schema));
    } else if (value.is_string()) {
      OFINDEX_TRY(CheckFeatureName(name, StrCat("member '", Printable(name), "' of the schema")));
      OFINDEX_TRY(AddType(name, value.get_ref<const std::string&>(), schema));
    } else {
      return Fail(ErrorCode::kFormat,
                  StrCat("'", Printable(name), "': expected the name of a type, or an object of them"), TypesHint());
    }
  }
  return {};
}

}  // namespace

std::string_view Name(SourceType type) {
  for (const auto& [text, named] : kTypes) {
    if (named == type) return text;
  }
  return type == SourceType::kByteArray ? "array<byte>" : "unknown";
}

FeatureKind KindOf(SourceType type, PayloadKind payload) {
  const bool of = payload == PayloadKind::kOfRecord;
  switch (type) {
    case SourceType::kInt: return of ? FeatureKind::kInt32 : FeatureKind::kInt64;
    case SourceType::kFloat: return FeatureKind::kFloat;
    case SourceType::kDouble:
    case SourceType::kDecimal: return of ? FeatureKind::kDouble : FeatureKind::kFloat;
    case SourceType::kString:
    case SourceType::kBytes:
    case SourceType::kByteArray:
    case SourceType::kEnum: return FeatureKind::kBytes;
    case SourceType::kChoice: return FeatureKind::kNone;
    default: return FeatureKind::kInt64;
  }
}

Result<PackSchema> PackSchema::Parse(std::string_view json) {
  const JsonValue document = JsonValue::parse(json, nullptr, false);
  if (!document.is_object()) {
    return Fail(ErrorCode::kFormat, "schema: expected a JSON object of feature names and types",
                R"(for example {"label": "int", "tags": "array<string>"})");
  }
  PackSchema schema;
  OFINDEX_TRY(AddMembers("", document, 0, schema));
  return schema;
}

Result<void> CheckFeatureName(std::string_view name, std::string_view what) {
  if (name.empty()) {
    return Fail(ErrorCode::kFormat, StrCat(what, " has no name; expected a name"),
                "give it a name, or remove it from every row");
  }
  const bool is_text = IsUtf8(name);
  if (is_text && !HasControl(name)) return {};
  return Fail(ErrorCode::kFormat,
              StrCat("the name of ", what, ", '", Printable(name.substr(0, kLongestNameShown)), "', ",
                     is_text ? "has a control character" : "is not UTF-8", "; expected text"),
              "give it a name of plain text, or remove it from every row");
}

}  // namespace ofindex
