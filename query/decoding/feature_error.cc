#include "query/decoding/feature_error.h"

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/decoding/cast.h"
#include "query/decoding/feature_column.h"

namespace ofindex {
namespace {

template <typename T>
std::string Spell(T value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// Returns the first of the values of kind `From` that does not fit `type`, as text.
template <typename From>
std::string FirstUnfit(const FeatureValues& values, DataType type) {
  return WithItem(type, [&](auto item) {
    for (uint64_t i = 0; i < values.count; ++i) {
      From value;
      std::memcpy(&value, values.numbers + i * sizeof value, sizeof value);
      if (!CastExactly(value, item)) return Spell(value);
    }
    return std::string("a value");
  });
}

std::string FirstUnfit(const FeatureValues& values, DataType type) {
  switch (values.kind) {
    case FeatureKind::kFloat: return FirstUnfit<float>(values, type);
    case FeatureKind::kDouble: return FirstUnfit<double>(values, type);
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: return FirstUnfit<int64_t>(values, type);
    default: break;
  }
  for (const uint8_t byte : values.bytes[0]) {  // raw bytes as bool
    if (byte > 1) return Spell(unsigned{byte});
  }
  return "a value";
}

/// "int32 or int64".
std::string NamesOf(uint32_t kinds) {
  std::string names;
  for (uint32_t k = 1; k <= 5; ++k) {
    if ((kinds >> k & 1) != 0) names += StrCat(names.empty() ? "" : " or ", Name(static_cast<FeatureKind>(k)));
  }
  return names;
}

uint64_t ItemsOf(const FeatureSpec& spec, const FeatureValues& values) {
  return values.kind == FeatureKind::kBytes ? values.bytes[0].size() / ItemBytes(spec.type) : values.count;
}

struct Explanation {
  std::string what;
  Hint hint;
  bool is_memory = false;
};

// Runs the decoder again for its error.
Explanation NotMade(const FeatureSpec& spec, const FeatureValues& values) {
  std::vector<uint8_t> items(spec.values * ItemBytes(spec.type));
  const Result<void> made = spec.decoder->Decode(values.bytes[0], items.data());
  if (made) return {"decoded only once; expected the same each time", "leave the record out"};
  Error error = made.error();
  if (error.hint.empty()) error.hint = "leave the record out, or ask for its bytes and decode them yourself";
  return {std::move(error.message), std::move(error.hint), error.code == ErrorCode::kLimit};
}

Explanation Explain(const FeatureSpec& spec, const FeatureValues& values, FeatureFault fault) {
  switch (fault) {
    case FeatureFault::kAbsent:
      return {"is not in the record, and has no default", "give it a default, or ask for it as ragged"};
    case FeatureFault::kNoKind:
      return {"has no kind set in the record, and no default", "give it a default, or ask for it as ragged"};
    case FeatureFault::kKind:
      return {StrCat("data types don't match: ", Name(values.kind), " values, asked for as ", Name(spec.type),
                     "; expected ", NamesOf(KindsOf(spec.form, spec.type))),
              "request a type that fits these values"};
    case FeatureFault::kMixed: return {"its steps differ in kind; expected one", "no type fits all of them"};
    case FeatureFault::kCount:
      return {StrCat(Counted(values.count, "value"), "; expected ", spec.values),
              "ask for another shape, or for it as ragged"};
    case FeatureFault::kValue:
      return {StrCat(FirstUnfit(values, spec.type), " does not fit ", Name(spec.type)), "ask for a wider type"};
    case FeatureFault::kStrings:
      return {StrCat(Counted(values.count, "byte string"), "; expected 1"),
              spec.form == FeatureSpec::Form::kRaw ? Hint("raw decodes a single byte string")
                                                   : Hint("ask for it as ragged")};
    case FeatureFault::kItemSize:
      return {StrCat(Counted(values.bytes[0].size(), "byte"), "; expected a multiple of ", ItemBytes(spec.type),
                     ", as ", Name(spec.type), " has"),
              "request the type that it was written with"};
    case FeatureFault::kTooMany:
      return {StrCat(Counted(ItemsOf(spec, values), "item"), "; expected ", spec.values),
              "set truncate to drop the extra items"};
    case FeatureFault::kTooFew:
      return {StrCat(Counted(ItemsOf(spec, values), "item"), "; expected ", spec.values),
              "set pad to fill up with zeros"};
    case FeatureFault::kNotMade: return NotMade(spec, values);
    case FeatureFault::kMemory:
    case FeatureFault::kNone: break;
  }
  return {"out of memory for its values", "ask for fewer records at once", true};
}

}  // namespace

Error FeatureError(const FeatureSpec& spec, const FeatureValues& values, FeatureFault fault) {
  Explanation explanation = Explain(spec, values, fault);
  return {explanation.is_memory ? ErrorCode::kLimit : ErrorCode::kFeature,
          StrCat("feature '", Printable(spec.name), "': ", explanation.what), std::move(explanation.hint)};
}

}  // namespace ofindex
