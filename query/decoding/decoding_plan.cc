#include "query/decoding/decoding_plan.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

using SpecForm = FeatureSpec::Form;

constexpr uint64_t kMaxDecodedValues = uint64_t{1} << 40;

tl::unexpected<Error> Refuse(const FeatureSpec& spec, std::string what, Hint hint = {}) {
  return Fail(ErrorCode::kUsage, StrCat("feature '", Printable(spec.name), "': ", what), std::move(hint));
}

Result<void> CheckDecoder(const FeatureSpec& spec) {
  if (spec.decoder == nullptr) return Refuse(spec, "no decoder; expected one");
  const uint64_t item = ItemBytes(spec.type);
  if (item != 0 && spec.values == spec.decoder->bytes() / item && spec.decoder->bytes() % item == 0) return {};
  return Refuse(spec, StrCat(spec.values, " values of ", Name(spec.type), "; expected the ", spec.decoder->bytes(),
                             " bytes that the decoder makes"));
}

Result<void> CheckForm(const FeatureSpec& spec) {
  const bool is_bytes = spec.type == DataType::kBytes;
  if (spec.form == SpecForm::kRaw && is_bytes) {
    return Refuse(spec, "raw of bytes makes no sense; expected a number type", "fixed gives byte strings as they are");
  }
  if (spec.form == SpecForm::kMade) OFINDEX_TRY(CheckDecoder(spec));
  if (spec.form != SpecForm::kRaw && (spec.truncate || spec.pad))
    return Refuse(spec, "truncate and pad apply to raw only");
  if (spec.form != SpecForm::kRagged && spec.values > kMaxDecodedValues) {
    return Refuse(spec, StrCat(spec.values, " values in a record; expected at most ", kMaxDecodedValues));
  }
  if (!spec.fill && !spec.fill_bytes) return {};
  if (spec.form != SpecForm::kFixed) return Refuse(spec, "a default applies to fixed only");
  if (spec.fill ? is_bytes : !is_bytes)
    return Refuse(spec, StrCat("the default has another type; expected ", Name(spec.type)));
  return {};
}

// Repeats a default of one value as often as the spec has values.
Result<void> SpellOut(FeatureSpec& spec) {
  const auto wrong_size = [&spec](uint64_t size, const char* unit, uint64_t one) {
    return Refuse(spec, StrCat("a default of ", size, " ", unit, "; expected ", one, " or ", spec.values * one));
  };
  if (spec.fill) {
    const uint64_t item = ItemBytes(spec.type);
    std::vector<uint8_t>& fill = *spec.fill;
    if (fill.size() != item && fill.size() != spec.values * item) return wrong_size(fill.size(), "bytes", item);
    if (spec.type == DataType::kBool && std::any_of(fill.begin(), fill.end(), [](uint8_t b) { return b > 1; })) {
      return Refuse(spec, "the default is not a bool; expected bytes 0 or 1");
    }
    const std::vector<uint8_t> given = fill;
    fill.resize(spec.values * item);
    for (size_t i = 0; i < fill.size(); ++i) fill[i] = given[i % given.size()];
  }
  if (spec.fill_bytes) {
    std::vector<std::string>& fill = *spec.fill_bytes;
    if (fill.size() != 1 && fill.size() != spec.values) return wrong_size(fill.size(), "strings", 1);
    const std::vector<std::string> given = fill;
    fill.resize(spec.values);
    for (size_t i = 0; i < fill.size(); ++i) fill[i] = given[i % given.size()];
  }
  return {};
}

}  // namespace

Result<std::vector<FeatureSpec>> DecodingPlan::Check(std::vector<FeatureSpec> specs) {
  std::set<std::string_view> names;
  for (FeatureSpec& spec : specs) {
    if (!names.insert(spec.name).second) return Refuse(spec, "named twice; expected each name once");
    OFINDEX_TRY(CheckForm(spec));
    OFINDEX_TRY(SpellOut(spec));
  }
  return specs;
}

DecodingPlan::DecodingPlan(std::vector<FeatureSpec> specs)
    : specs_(std::move(specs)), record_bytes_(std::make_unique<std::atomic<uint64_t>[]>(specs_.size())) {
  for (uint32_t i = 0; i < specs_.size(); ++i) {
    numbers_.emplace(specs_[i].name, i);
    may_have_lists_ = may_have_lists_ || specs_[i].name.ends_with("[]");
  }
}

}  // namespace ofindex
