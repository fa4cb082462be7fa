#include "tools/packing/schema_inference.h"

#include "base/text.h"
#include "tools/packing/text_numbers.h"

namespace ofindex {
namespace {

using SourceValueType = SourceValue::Type;

constexpr uint8_t Bit(SourceValueType type) { return static_cast<uint8_t>(1U << static_cast<unsigned>(type)); }

constexpr uint8_t kNumbers =
    Bit(SourceValueType::kBoolean) | Bit(SourceValueType::kInteger) | Bit(SourceValueType::kReal);
constexpr uint8_t kTexts = Bit(SourceValueType::kText) | Bit(SourceValueType::kBytes);

// Bits for the types that a text cannot have.
constexpr uint8_t kNotWhole = 1;
constexpr uint8_t kNotReal = 2;
constexpr uint8_t kNotBoolean = 4;
constexpr uint8_t kNothing = kNotWhole | kNotReal | kNotBoolean;

// True for a whole number that does not fit 64 bits: any other number type would lose digits.
bool IsTooLong(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 18 && text.find_first_not_of("0123456789") == std::string_view::npos && !ParseWhole(text);
}

uint8_t WhatItIsNot(std::string_view text, uint8_t known) {
  if ((known & kNotWhole) == 0 && !ParseWhole(text)) known |= kNotWhole;
  if ((known & kNotReal) == 0 && (!ParseReal(text) || IsTooLong(text))) known |= kNotReal;
  if ((known & kNotBoolean) == 0 && !ParseBoolean(text)) known |= kNotBoolean;
  return known;
}

}  // namespace

SchemaInference::Seen& SchemaInference::SeenOf(std::string_view name) {
  const size_t number = names_.Add(name);
  if (number == seen_.size()) seen_.emplace_back();
  return seen_[number];
}

Result<void> SchemaInference::List(std::string_view name, int depth) {
  Seen& seen = SeenOf(name);
  seen.steps = seen.steps || depth == 1;
  return {};
}

Result<void> SchemaInference::Value(std::string_view name, const SourceValue& value, int depth) {
  Seen& seen = SeenOf(name);
  if (value.type == SourceValueType::kNull) {
    if (depth == 0) return {};
    return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "': a null inside a list"),
                "omit it, or write a placeholder value");
  }
  if (value.type == SourceValueType::kText && text_ == Text::kMayBeNumber) {
    // An empty text does not determine the type, because in a column of numbers it is a null.
    if (!value.text.empty() && seen.texts != kNothing) seen.texts = WhatItIsNot(value.text, seen.texts);
    if (!value.text.empty()) seen.types |= Bit(SourceValueType::kText);
    seen.empties = seen.empties || value.text.empty();
    return {};
  }
  const uint8_t types = seen.types | Bit(value.type);
  if (types == seen.types) return {};
  seen.types = types;
  return CheckMixed(name, seen);
}

Result<void> SchemaInference::CheckMixed(std::string_view name, const Seen& seen) const {
  if ((seen.types & kNumbers) == 0 || (seen.types & kTexts) == 0) return {};
  return Fail(ErrorCode::kFeature, StrCat("feature '", Printable(name), "': both text and numbers, up to here"),
              "give its type with --schema: choice keeps the type of each value, string converts all to text");
}

std::optional<SourceType> SchemaInference::TypeOf(const Seen& seen) const {
  if (seen.types == 0) return seen.empties ? std::optional(SourceType::kString) : std::nullopt;
  if (text_ == Text::kMayBeNumber) {
    if ((seen.texts & kNotWhole) == 0) return SourceType::kLong;
    if ((seen.texts & kNotReal) == 0) return SourceType::kDouble;
    return (seen.texts & kNotBoolean) == 0 ? SourceType::kBoolean : SourceType::kString;
  }
  if ((seen.types & Bit(SourceValueType::kBytes)) != 0) return SourceType::kBytes;
  if ((seen.types & Bit(SourceValueType::kText)) != 0) return SourceType::kString;
  if ((seen.types & Bit(SourceValueType::kReal)) != 0) return SourceType::kDouble;
  return (seen.types & Bit(SourceValueType::kInteger)) != 0 ? SourceType::kLong : SourceType::kBoolean;
}

PackSchema SchemaInference::Schema() const {
  PackSchema schema;
  for (size_t i = 0; i < seen_.size(); ++i) {
    schema.features.push_back({.name = names_[i], .type = TypeOf(seen_[i]), .steps = seen_[i].steps});
  }
  return schema;
}

}  // namespace ofindex
