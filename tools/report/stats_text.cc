#include "tools/report/stats_text.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "tools/report/stats_words.h"
#include "tools/shell/table.h"
#include "tools/shell/value_text.h"
#include "tools/terminal/terminal.h"
#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

constexpr size_t kFileWidth = 80;  // of lines that no terminal shows
constexpr size_t kLeastBar = 8;
constexpr size_t kMaxName = 40;  // characters of a column's name

std::string Bar(uint64_t count, uint64_t max, size_t width, Bars bars) {
  static constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (count == 0 || max == 0) return "";
  const double share = static_cast<double>(count) / static_cast<double>(max);
  std::string bar;
  if (bars == Bars::kHashes) {
    bar.assign(std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(width))), '#');
    return bar;
  }
  const auto eighths = std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(8 * width)));
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return StrCat(bar, kEighths[eighths % 8]);
}

size_t LineWidth() { return TerminalWidth(STDOUT_FILENO).value_or(kFileWidth); }

// Cuts labels so that on a terminal, lines with bars of the least length fit; `around` is what else a line has.
void CutLabels(std::vector<BarRow>& rows, size_t around) {
  const std::optional<size_t> line_width = TerminalWidth(STDOUT_FILENO);
  if (!line_width) return;
  const size_t width = std::max(kLeastBar, *line_width - std::min(*line_width, around + kLeastBar));
  for (BarRow& row : rows) row.label = CutToWidth(row.label, width);
}

Result<void> PrintBars(std::vector<BarRow> rows, Bars bars, Output& out) {
  size_t label_width = 0;
  size_t count_width = 0;
  uint64_t max = 0;
  for (const BarRow& row : rows) {
    count_width = std::max(count_width, FormatCount(row.count).size());
    max = std::max(max, row.count);
  }
  const size_t around = 4 + 2 + count_width + 2;
  CutLabels(rows, around);
  for (const BarRow& row : rows) label_width = std::max(label_width, ShownWidth(row.label));
  const size_t taken = around + label_width;
  const size_t width = taken + kLeastBar < LineWidth() ? LineWidth() - taken : kLeastBar;
  for (const BarRow& row : rows) {
    const std::string count = FormatCount(row.count);
    std::string line = StrCat("    ", row.label, std::string(label_width - ShownWidth(row.label) + 2, ' '),
                              std::string(count_width - count.size(), ' '), count);
    const std::string bar = Bar(row.count, max, width, bars);
    if (!bar.empty()) line += "  " + bar;
    OFINDEX_TRY(out.Line(line));
  }
  return {};
}

// Prints `parts` on as many lines as needed.
Result<void> PrintParts(const std::vector<std::string>& parts, Output& out) {
  std::string line;
  const size_t width = LineWidth();
  for (const std::string& part : parts) {
    if (!line.empty() && ShownWidth(line) + 2 + ShownWidth(part) > width) {
      OFINDEX_TRY(out.Line(line));
      line.clear();
    }
    line += "  " + part;
  }
  return line.empty() ? Result<void>() : out.Line(line);
}

std::vector<std::string> NumberCells(const GroupSum& sum) {
  return {FormatCount(sum.count), ShownValue(sum.min, kShownValue), ShownValue(sum.max, kShownValue),
          Rounded(sum.mean())};
}

std::string OtherGroups(const GroupedStats& stats) {
  return StrCat("(", Counted(stats.other_groups, "other group"), ")");
}

Result<void> PrintNumbers(const GroupedStats& stats, size_t column, Output& out) {
  OFINDEX_TRY(out.Line(""));
  OFINDEX_TRY(out.Line(StrCat(ShownText(stats.columns[column], kMaxName), " by ", ShownText(stats.by, kMaxName))));
  Table table({"values", "min", "max", "mean", "group"});
  const auto add = [&](const GroupRow& row, std::string name) {
    std::vector<std::string> cells = NumberCells(row.sums[column]);
    cells.push_back(std::move(name));
    table.Add(std::move(cells));
  };
  for (const GroupRow& row : stats.groups) add(row, ShownValue(ViewOf(row.value), kShownValue));
  if (stats.other_groups > 0) add(stats.others, OtherGroups(stats));
  return table.Print(out);
}

bool IsUtf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = Folded(value);
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Bars BarsOfOutput() { return ::isatty(STDOUT_FILENO) == 1 && IsUtf8Locale() ? Bars::kBlocks : Bars::kHashes; }

Result<void> PrintStats(const ColumnStats& stats, Bars bars, Output& out) {
  OFINDEX_TRY(out.Line(StrCat(ShownText(stats.column, kMaxName), stats.type.empty() ? "" : "  ", stats.type)));
  OFINDEX_TRY(PrintParts(CountsOf(stats), out));
  std::vector<std::string> facts;
  for (const Fact& fact : FactsOf(stats)) facts.push_back(StrCat(fact.name, " ", fact.text));
  OFINDEX_TRY(PrintParts(facts, out));
  const bool all_in_top = TopHasAll(stats);
  if (!all_in_top && !stats.histogram.empty()) {
    OFINDEX_TRY(out.Line("  histogram"));
    OFINDEX_TRY(PrintBars(HistogramRows(stats), bars, out));
  }
  if (stats.top.empty()) return {};
  OFINDEX_TRY(out.Line(all_in_top ? "  all values" : "  most frequent"));
  return PrintBars(TopRows(stats), bars, out);
}

Result<void> PrintGroups(const GroupedStats& stats, Bars bars, Output& out) {
  OFINDEX_TRY(out.Line(StrCat("records by ", ShownText(stats.by, kMaxName))));
  std::vector<BarRow> rows;
  for (const GroupRow& row : stats.groups) rows.push_back({ShownValue(ViewOf(row.value), kShownValue), row.rows});
  if (stats.other_groups > 0) rows.push_back({OtherGroups(stats), stats.others.rows});
  OFINDEX_TRY(PrintBars(rows, bars, out));
  for (size_t c = 0; c < stats.columns.size(); ++c) OFINDEX_TRY(PrintNumbers(stats, c, out));
  return {};
}

}  // namespace ofindex
