#include "tools/show/feature_text.h"

#include <algorithm>

#include "base/text.h"
#include "tools/shell/table.h"
#include "tools/show/hex_text.h"
#include "tools/show/number_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxRowText = 64;      // for the values of one row
constexpr size_t kMaxDumped = 4 << 10;  // for one payload

std::string BytesText(ByteView bytes) {
  const std::string_view text = AsText(bytes);
  const bool plain = IsUtf8(text) && text == Printable(text);
  if (plain && text.size() <= kMaxRowText) return StrCat("\"", text, "\"");
  const ByteView front = bytes.first(std::min<size_t>(bytes.size(), 8));
  return StrCat("<", FormatCount(bytes.size()), " bytes: ", ToHex(front), front.size() < bytes.size() ? "...>" : ">");
}

// Joins values until the row is full, and says how many are left out.
template <typename Values, typename Format>
std::string Join(const Values& values, Format format) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (text.size() >= kMaxRowText) return StrCat(text, " ... ", FormatCount(values.size() - i), " more");
    text += StrCat(i == 0 ? "" : " ", format(values[i]));
  }
  return text;
}

std::string ValuesText(const DecodedRecord& record, FeatureValue value) {
  switch (value.kind) {
    case FeatureKind::kNone: return "";
    case FeatureKind::kBytes: return Join(record.bytes(value), BytesText);
    case FeatureKind::kFloat: return Join(record.floats(value), [](float x) { return Shortest(x); });
    case FeatureKind::kDouble: return Join(record.doubles(value), [](double x) { return Shortest(x); });
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: return Join(record.integers(value), [](int64_t x) { return Shortest(x); });
  }
  return "";
}

std::string StepsText(const DecodedRecord& record, const FeatureList& list) {
  return Join(record.steps(list), [&](const FeatureValue& step) { return StrCat("[", ValuesText(record, step), "]"); });
}

std::string_view KindOfSteps(const DecodedRecord& record, const FeatureList& list) {
  FeatureKind kind = FeatureKind::kNone;
  for (const FeatureValue& step : record.steps(list)) {
    if (step.kind == FeatureKind::kNone || step.kind == kind) continue;
    if (kind != FeatureKind::kNone) return "mixed";
    kind = step.kind;
  }
  return Name(kind);
}

}  // namespace

Result<void> PrintFeatures(const DecodedRecord& record, const std::vector<std::string>& only, Output& out) {
  const auto is_left_out = [&only](std::string_view name) {
    return !only.empty() && std::find(only.begin(), only.end(), name) == only.end();
  };
  Table table({"feature", "kind", "count", "values"});
  for (const Feature& feature : record.features()) {
    if (is_left_out(AsText(feature.name))) continue;
    table.Add({Printable(AsText(feature.name)), std::string(Name(feature.value.kind)), FormatCount(feature.value.count),
               ValuesText(record, feature.value)});
  }
  for (const FeatureList& list : record.feature_lists()) {
    const std::string name = StrCat(AsText(list.name), "[]");
    if (is_left_out(name)) continue;
    table.Add({Printable(name), std::string(KindOfSteps(record, list)), FormatCount(list.step_count),
               StepsText(record, list)});
  }
  return table.Print(out);
}

Result<void> PrintHexDump(ByteView bytes, Output& out) {
  const ByteView shown = bytes.first(std::min(bytes.size(), kMaxDumped));
  for (size_t at = 0; at < shown.size(); at += kHexRow) {
    const ByteView row = shown.subspan(at, std::min(kHexRow, shown.size() - at));
    OFINDEX_TRY(out.Line(StrCat(HexOffset(at), "  ", HexColumns(row), " ", HexText(row))));
  }
  if (shown.size() == bytes.size()) return {};
  return out.Line(StrCat("and ", FormatCount(bytes.size() - shown.size()), " more bytes (--raw writes all)"));
}

}  // namespace ofindex
