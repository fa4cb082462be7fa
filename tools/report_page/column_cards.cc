#include "tools/report_page/column_cards.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "query/columns/value_order.h"
#include "query/stats/stats.h"
#include "tools/report/shown_stats.h"
#include "tools/report/stats_words.h"
#include "tools/report_page/charts.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMaxColumnName = 120;    // characters
constexpr size_t kTopBelowHistogram = 5;  // the histogram says the most

// The least or the greatest value of a column, and the first record that has it.
struct End {
  const char* name;
  std::optional<uint64_t> ordinal = std::nullopt;
  bool has_card = false;
};

// Returns `value` as it is stored: the shown value of a float is another double.
ColumnValue StoredValue(const ColumnStore& store, const Column& column, ColumnValue value) {
  if (value.type == ColumnValue::Type::kReal && HoldsFloats(store, column)) {
    value.real = static_cast<double>(static_cast<float>(value.real));
  }
  return value;
}

Result<std::array<End, 2>> FindEnds(ColumnStore& store, const Column& column, const ColumnStats& stats,
                                    const Progress& progress, ExtremeRecords& extremes) {
  std::array<End, 2> ends = {End{.name = "least"}, End{.name = "greatest"}};
  if (stats.count == 0 || CompareValues(stats.min, stats.max) == 0) return ends;
  for (End& end : ends) {
    const ColumnValue& shown = &end == &ends[0] ? stats.min : stats.max;
    OFINDEX_ASSIGN(end.ordinal, FirstRecordWith(store, column, StoredValue(store, column, shown), &progress.cancel));
    if (!end.ordinal) continue;
    const std::string label =
        StrCat(end.name, " ", ShownText(column.name, kMaxColumnName), ": ", ShownValue(ViewOf(shown), kShownValue));
    end.has_card = extremes.Add(*end.ordinal, label);
  }
  return ends;
}

// Returns whether all records have the same one value, which is then all that a card says.
bool IsConstant(const ColumnStats& stats) {
  return stats.count > 0 && stats.count == stats.rows && stats.nulls == 0 && stats.nans == 0 && stats.distinct == 1 &&
         stats.distinct_is_exact && stats.lists.count == 0;
}

void WriteConstant(const ColumnStats& stats, Html& html) {
  html.Open("p", {{"class", "constant"}}).Text("always ");
  html.Element("bdi", ShownValue(ViewOf(stats.min), kShownValue)).Close();
}

void WriteFacts(const ColumnStats& stats, Html& html) {
  html.Open("ul", {{"class", "counts"}});
  for (const std::string& count : CountsOf(stats)) html.Element("li", count);
  html.Close();
  const std::vector<Fact> facts = FactsOf(stats);
  if (facts.empty()) return;
  html.Open("dl", {{"class", "facts"}});
  for (const Fact& fact : facts) {
    html.Open("div").Element("dt", fact.name).Open("dd").Element("bdi", fact.text).Close().Close();
  }
  html.Close();
}

void WriteChart(const ColumnStats& stats, Html& html) {
  const bool all_in_top = TopHasAll(stats);
  const bool has_histogram = !all_in_top && !stats.histogram.empty();
  if (has_histogram) {
    const std::vector<BarRow> bins = HistogramRows(stats);
    html.Open("figure");
    DrawHistogram(bins, ShownText(stats.column, kMaxColumnName), html);
    html.Open("figcaption").Element("span", EdgeText(stats.histogram.front().begin));
    html.Element("span", EdgeText(stats.histogram.back().end)).Close().Close();
    ListBins(bins, html);
  }
  if (stats.top.empty() || (has_histogram && stats.top.front().count == 1)) return;
  std::vector<BarRow> values = TopRows(stats);
  if (has_histogram && values.size() > kTopBelowHistogram) values.resize(kTopBelowHistogram);
  DrawFrequencies(values, all_in_top ? "All values" : "Most frequent", stats.count, html);
}

void WriteEnds(const std::array<End, 2>& ends, Html& html) {
  if (!ends[0].ordinal && !ends[1].ordinal) return;
  html.Open("p", {{"class", "ends"}});
  for (const End& end : ends) {
    if (!end.ordinal) continue;
    html.Open("span").Text(StrCat(end.name, ": "));
    const std::string record = StrCat("record ", *end.ordinal);
    if (end.has_card) {
      html.Element("a", {{"href", StrCat("#extreme-", *end.ordinal)}}, record);
    } else {
      html.Text(record);
    }
    html.Close().Text(" ");
  }
  html.Close();
}

}  // namespace

Result<size_t> WriteColumnCards(ColumnStore& store, const ColumnDetail& detail, Progress& progress,
                                ExtremeRecords& extremes, Html& html) {
  const std::vector<Column> columns = DescribedColumns(store);
  const size_t shown = std::min(columns.size(), kMaxColumnCards);
  html.Open("section", {{"id", "columns"}}).Element("h2", "Columns");
  html.Element("p", {{"class", "lead"}},
               StrCat(Counted(columns.size(), "column"),
                      " of the features, and the length of the payloads. NULL stands "
                      "for a record that has no value, or not exactly one."));
  html.Open("div", {{"class", "columns"}});
  for (size_t i = 0; i < shown; ++i) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(
        const ColumnStats stats,
        ShownStatsOf(store, columns[i], {.top = detail.top, .bins = detail.bins, .cancel = &progress.cancel}));
    OFINDEX_ASSIGN(const auto ends, FindEnds(store, columns[i], stats, progress, extremes));
    html.Open("article", {{"class", "card column"}}).Open("h3");
    html.Open("bdi").Element("code", ShownText(stats.column, kMaxColumnName)).Close();
    html.Element("small", stats.type).Close();
    if (IsConstant(stats)) {
      WriteConstant(stats, html);
    } else {
      WriteFacts(stats, html);
      WriteChart(stats, html);
      WriteEnds(ends, html);
    }
    html.Close();
    OFINDEX_TRY(html.written());
    progress.bytes_done += progress.bytes_total / shown;
  }
  html.Close();
  if (columns.size() > shown) {
    html.Element("p", {{"class", "left-out"}},
                 StrCat("Another ", Counted(columns.size() - shown, "column"),
                        " are left out; `ofindex stats INDEX NAME` describes any of them."));
  }
  html.Close();
  return shown;
}

}  // namespace ofindex
