#include "tools/report/stats_words.h"

#include <array>
#include <cstdio>

#include "base/text.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

std::string LengthFact(const Lengths& lengths, const char* unit) {
  return StrCat(FormatCount(lengths.min), " to ", FormatCount(lengths.max), unit, ", mean ", Rounded(lengths.mean()));
}

// Returns "3 NULL", with the reasons unless all NULLs mean that there is no value.
std::string NullsText(const ColumnStats& stats) {
  std::string text = StrCat(FormatCount(stats.nulls), " NULL");
  if (!stats.null_reasons || stats.null_reasons->empty + stats.null_reasons->several == 0) return text;
  const NullReasons& reasons = *stats.null_reasons;
  text += StrCat(" (", FormatCount(reasons.absent), " absent");
  if (reasons.empty > 0) text += StrCat(", ", FormatCount(reasons.empty), " empty");
  if (reasons.several > 0) text += StrCat(", ", FormatCount(reasons.several), " with several values");
  return text + ")";
}

}  // namespace

std::string Rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string Rounded(const std::optional<double>& value) { return value ? Rounded(*value) : "-"; }

std::string EdgeText(const ColumnValue& value) {
  return value.type == ColumnValue::Type::kReal ? Rounded(value.real) : ShownValue(ViewOf(value), kShownValue);
}

std::vector<Fact> FactsOf(const ColumnStats& stats) {
  std::vector<Fact> facts;
  if (stats.count > 0) {
    facts.push_back({"min", ShownValue(ViewOf(stats.min), kShownValue)});
    facts.push_back({"max", ShownValue(ViewOf(stats.max), kShownValue)});
  }
  if (stats.numbers > 0) {
    facts.push_back({"mean", Rounded(stats.mean)});
    facts.push_back({"std", Rounded(stats.deviation)});
  }
  if (stats.quartiles) {
    const Quartiles& quartiles = *stats.quartiles;
    facts.push_back(
        {"quartiles", StrCat(Rounded(quartiles.first), " ", Rounded(quartiles.median), " ", Rounded(quartiles.third))});
  }
  if (stats.lengths.count > 0) facts.push_back({"length", LengthFact(stats.lengths, " bytes")});
  if (stats.lists.count > 0) facts.push_back({"lists of", LengthFact(stats.lists, " values")});
  return facts;
}

std::vector<std::string> CountsOf(const ColumnStats& stats) {
  std::vector<std::string> counts = {Counted(stats.count, "value"), NullsText(stats)};
  if (stats.nans > 0) counts.push_back(StrCat(FormatCount(stats.nans), " NaN"));
  counts.push_back(StrCat(stats.distinct_is_exact ? "" : "about ", FormatCount(stats.distinct), " distinct"));
  return counts;
}

std::vector<BarRow> HistogramRows(const ColumnStats& stats) {
  std::vector<BarRow> rows;
  for (size_t i = 0; i < stats.histogram.size(); ++i) {
    const HistogramBin& bin = stats.histogram[i];
    const char* close = i + 1 == stats.histogram.size() ? "]" : ")";
    rows.push_back({StrCat("[", EdgeText(bin.begin), ", ", EdgeText(bin.end), close), bin.count});
  }
  return rows;
}

std::vector<BarRow> TopRows(const ColumnStats& stats) {
  std::vector<BarRow> rows;
  for (const auto& [value, count] : stats.top) rows.push_back({ShownValue(ViewOf(value), kShownValue), count});
  return rows;
}

}  // namespace ofindex
