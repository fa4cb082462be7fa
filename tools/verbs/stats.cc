#include "query/stats/stats.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/columns/snapshot.h"
#include "query/stats/group_stats.h"
#include "tools/options/attachments.h"
#include "tools/ordinals/listed_records.h"
#include "tools/report/shown_stats.h"
#include "tools/report/stats_csv.h"
#include "tools/report/stats_json.h"
#include "tools/report/stats_text.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr size_t kMaxTop = 1'000'000;
constexpr size_t kMostBins = 10'000;
constexpr size_t kTop = 10;

struct StatsArguments {
  std::string index;
  std::vector<std::string> names;
  std::optional<size_t> top;  // not given: all groups in data formats, at most ten otherwise
  size_t bins = 10;
  std::optional<std::string> by;
  std::string ids;
  bool csv = false;
  bool no_header = false;
  bool table = false;
};

bool HasNumbers(const ColumnStore& store, const Column& column) {
  return (store.kinds(column) & (kIntegerKinds | kRealKinds)) != 0;
}

Result<std::vector<Column>> NamedColumns(const ColumnStore& store, const StatsArguments& arguments) {
  std::vector<Column> columns;
  for (const std::string& given : arguments.names) {
    const std::string name = given.starts_with("\\[") ? given.substr(1) : given;
    OFINDEX_ASSIGN(Column column, FindColumn(store, name));
    columns.push_back(std::move(column));
  }
  if (!arguments.names.empty()) return columns;
  return DescribedColumns(store);
}

Result<Column> GroupingColumn(const ColumnStore& store, const std::string& name) {
  OFINDEX_ASSIGN(Column column, FindColumn(store, name));
  if (!column.is_list()) return column;
  return Fail(ErrorCode::kUsage, StrCat("column '", Printable(column.name), "' holds lists, which cannot be grouped"),
              "`ofindex sql` can expand them with json_each()");
}

// Writes the values of a column of floats as floats. Sums are computed, and stay doubles.
void WriteAsFloats(const ColumnStore& store, const Column& by, const std::vector<Column>& columns,
                   GroupedStats& stats) {
  const auto write = [&](GroupRow& row) {
    if (HoldsFloats(store, by)) row.value.real = AsFloat(row.value.real);
    for (size_t c = 0; c < row.sums.size(); ++c) {
      if (!HoldsFloats(store, columns[c])) continue;
      row.sums[c].min.real = AsFloat(row.sums[c].min.real);
      row.sums[c].max.real = AsFloat(row.sums[c].max.real);
    }
  };
  for (GroupRow& row : stats.groups) write(row);
  write(stats.others);
}

// Returns the columns to summarise by group: numeric ones. A requested column without numbers is an error.
Result<std::vector<Column>> SummedColumns(const ColumnStore& store, const StatsArguments& arguments, const Column& by) {
  OFINDEX_ASSIGN(const std::vector<Column> named, NamedColumns(store, arguments));
  std::vector<Column> summed;
  for (const Column& column : named) {
    if (!column.is_list() && HasNumbers(store, column)) {
      if (!arguments.names.empty() || column.name != by.name) summed.push_back(column);
    } else if (!arguments.names.empty()) {
      return Fail(ErrorCode::kUsage, StrCat("column '", Printable(column.name), "' has no numbers to sum by group"),
                  "`ofindex schema` lists the columns and their types");
    }
  }
  return summed;
}

// Returns the records of --ids; nothing if it was not given.
Result<std::optional<View>> ListedIn(const ColumnStore& store, const StatsArguments& arguments,
                                     const Context& context) {
  if (arguments.ids.empty()) return std::nullopt;
  return ListedRecords(arguments.ids, store, context);
}

// Returns how often each record with an ordinal in [begin, end) counts: once if the list has it.
std::vector<uint64_t> TimesIn(const View& listed, uint64_t begin, uint64_t end) {
  const View part = listed.Between(begin, end);
  std::vector<uint64_t> times(part.size() == 0 ? 0 : end - begin);
  for (uint64_t i = 0; i < part.size(); ++i) times[part.At(i) - begin] = 1;
  return times;
}

Result<int> ShowColumns(ColumnStore& store, const std::string& path, const StatsArguments& arguments,
                        const Context& context) {
  OFINDEX_ASSIGN(const std::vector<Column> columns, NamedColumns(store, arguments));
  OFINDEX_ASSIGN(const std::optional<View> listed, ListedIn(store, arguments, context));
  StatsOptions options{.top = arguments.top.value_or(kTop), .bins = arguments.bins, .cancel = &context.progress.cancel};
  if (listed) options.among = [&listed](uint64_t begin, uint64_t end) { return TimesIn(*listed, begin, end); };
  Output& out = Output::Standard();
  const uint64_t rows = listed ? listed->size() : store.records();
  Json document = {{"schema", "ofindex.stats/1"}, {"index", JsonText(path)}, {"rows", rows}};
  Json& array = document["columns"] = Json::array();
  bool first = true;
  for (const Column& column : columns) {
    OFINDEX_ASSIGN(const ColumnStats stats, ShownStatsOf(store, column, options));
    if (context.json) {
      array.push_back(JsonStats(stats));
    } else if (context.jsonl) {
      OFINDEX_TRY(out.Line(Dump(JsonStats(stats))));
    } else if (arguments.csv) {
      OFINDEX_TRY(WriteStatsCsv(stats, first && !arguments.no_header, out));
    } else {
      if (!first) OFINDEX_TRY(out.Line(""));
      OFINDEX_TRY(PrintStats(stats, BarsOfOutput(), out));
    }
    first = false;
  }
  if (context.json) OFINDEX_TRY(out.Line(Dump(document)));
  return 0;
}

Result<int> ShowGroups(ColumnStore& store, const std::string& path, const StatsArguments& arguments,
                       const Context& context) {
  OFINDEX_ASSIGN(const Column by, GroupingColumn(store, *arguments.by));
  OFINDEX_ASSIGN(const std::vector<Column> columns, SummedColumns(store, arguments, by));
  const bool data = context.json || context.jsonl || arguments.csv;
  GroupOptions options{.limit = arguments.top.value_or(data ? kMaxTop : kTop), .cancel = &context.progress.cancel};
  OFINDEX_ASSIGN(const std::optional<View> listed, ListedIn(store, arguments, context));
  if (listed) options.among = [&listed](uint64_t begin, uint64_t end) { return BitsOf(*listed, begin, end); };
  OFINDEX_ASSIGN(GroupedStats stats, GroupStats(store, by, columns, options));
  WriteAsFloats(store, by, columns, stats);
  Output& out = Output::Standard();
  if (context.json) {
    Json groups = Json::array();
    for (const GroupRow& row : stats.groups) groups.push_back(JsonGroup(stats, row));
    OFINDEX_TRY(out.Line(Dump({{"schema", "ofindex.stats/1"},
                               {"index", JsonText(path)},
                               {"rows", stats.rows},
                               {"by", JsonText(stats.by)},
                               {"groups", std::move(groups)},
                               {"others", JsonOtherGroups(stats)}})));
  } else if (context.jsonl) {
    for (const GroupRow& row : stats.groups) OFINDEX_TRY(out.Line(Dump(JsonGroup(stats, row))));
    if (stats.other_groups > 0) OFINDEX_TRY(out.Line(Dump({{"others", JsonOtherGroups(stats)}})));
  } else if (arguments.csv) {
    OFINDEX_TRY(WriteGroupsCsv(stats, !arguments.no_header, out));
  } else {
    OFINDEX_TRY(PrintGroups(stats, BarsOfOutput(), out));
  }
  return 0;
}

Result<int> ShowStats(const StatsArguments& arguments, const Context& context) {
  const Watchdog watchdog(std::nullopt, context);
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot,
                 Snapshot::Open(arguments.index, OpeningOptions(context)));
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot->Columns());
  const std::string& path = snapshot->path();
  return arguments.by ? ShowGroups(*store, path, arguments, context) : ShowColumns(*store, path, arguments, context);
}

}  // namespace

void AddStats(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "stats", "Counts, extremes, means, frequent values and histograms of columns",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<StatsArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  // The parser takes an argument in brackets for a list.
  verb.AddArgument("NAME", arguments->names,
                   "Columns, or features; default: those of all features, and _length; before a name that begins with "
                   "[, write a backslash")
      .Completes(Completes::kColumn);
  verb.AddOption("--top", arguments->top, "N",
                 "Number of most frequent values or groups to show; default 10, but all groups with --json or --csv")
      .Between(size_t{0}, kMaxTop);
  verb.AddOption("--bins", arguments->bins, "N", "Bins of a histogram; default 10").Between(size_t{1}, kMostBins);
  verb.AddOption("--by", arguments->by, "COLUMN",
                 "Group the records by this column, and summarise the numbers of the others");
  AddIds(verb, arguments->ids, "Only records of this list of ordinals, such as one of `ofindex split`");
  verb.AddFlag("--csv", arguments->csv, "Comma-separated values (RFC 4180, lines end with LF), with a header")
      .Excludes({"--json", "--jsonl"});
  verb.AddFlag("--no-header", arguments->no_header, "Without the header of --csv").Needs("--csv");
  verb.AddFlag("--table", arguments->table, "For people, with bars; default").Excludes({"--json", "--jsonl", "--csv"});
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return ShowStats(*arguments, context); });
}

}  // namespace ofindex
