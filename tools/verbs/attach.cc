#include "query/attaching/attach.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/attaching/detach.h"
#include "query/dataset.h"
#include "tools/options/reading_options.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/tables/file_rows.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct AttachArguments {
  std::string index;
  std::string table;
  std::string columns;
  std::string format;
  AttachRequest request;
  ReaderOptions reading;
  bool wait = false;
};

struct DetachArguments {
  std::string index;
  DetachRequest request;
  bool wait = false;
};

Json ToJson(const std::vector<ReportedRow>& rows) {
  Json array = Json::array();
  for (const ReportedRow& row : rows) array.push_back({{"row", row.row}, {"key", JsonText(row.key)}});
  return array;
}

Json ToJson(const AttachReport& report, const std::string& index) {
  return {
      {"schema", "ofindex.attach/1"},
      {"index", JsonText(index)},
      {"file", JsonText(report.file)},
      {"columns", JsonTexts(report.columns)},
      {"rows", report.rows},
      {"records", report.records},
      {"attached_records", report.attached_records},
      {"rows_without_record", {{"count", report.rows_without_record}, {"first", ToJson(report.first_without_record)}}},
      {"repeated_rows", {{"count", report.repeated_rows}, {"first", ToJson(report.first_repeated)}}},
      {"records_without_row", {{"count", report.records_without_row()}, {"first", report.first_records_without_row}}},
      {"file_bytes", report.file_bytes}};
}

std::string RowsText(uint64_t count, const std::vector<ReportedRow>& first) {
  std::string text;
  for (const ReportedRow& row : first) text += StrCat(text.empty() ? "" : ", ", row.row, " (", row.key, ")");
  return count > first.size() ? text + ", ..." : text;
}

std::vector<std::string> NotesOn(const AttachReport& report) {
  std::vector<std::string> notes;
  if (report.rows_without_record != 0) {
    notes.push_back(StrCat("note: ", Counted(report.rows_without_record, "row"),
                           " without a record: ", RowsText(report.rows_without_record, report.first_without_record)));
  }
  if (report.repeated_rows != 0) {
    notes.push_back(StrCat("note: ", Counted(report.repeated_rows, "row"),
                           " repeated: ", RowsText(report.repeated_rows, report.first_repeated)));
  }
  if (report.records_without_row() != 0) {
    std::string text;
    for (const uint64_t ordinal : report.first_records_without_row) text += StrCat(text.empty() ? "" : ", ", ordinal);
    if (report.records_without_row() > report.first_records_without_row.size()) text += ", ...";
    notes.push_back(StrCat("note: ", Counted(report.records_without_row(), "record"),
                           " without a row, whose values are NULL: ", text));
  }
  return notes;
}

std::string NamesText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", Printable(name));
  return text;
}

Result<int> RunAttach(AttachArguments& arguments, Context& context) {
  AttachRequest& request = arguments.request;
  if (!arguments.columns.empty()) request.columns = SplitNames(arguments.columns);
  if (arguments.wait) request.target.if_locked = AtomicFile::IfLocked::kWait;
  OFINDEX_ASSIGN(TableFile file,
                 TableFile::Open(arguments.table, TableFormatNamed(arguments.format), context.progress));
  FileRows rows(std::move(file), arguments.table == kStandardInput ? std::string(kStandardInputName) : arguments.table);
  PrintNotes(rows.file().Notes(Printable(rows.name())), context);
  OFINDEX_ASSIGN(Dataset dataset, Dataset::Open(arguments.index, arguments.reading, context.progress));
  std::optional<ProgressDisplay> display(std::in_place, "attach", context);
  Result<AttachReport> report = Attach(dataset, request, rows, context.progress);
  // The process that was waited for has replaced the index. No row was read yet.
  while (arguments.wait && !report && report.error().code == ErrorCode::kStale &&
         dataset.snapshot()->index()->Replaced() && context.progress.records_done == 0) {
    OFINDEX_ASSIGN(dataset, Dataset::Open(arguments.index, arguments.reading, context.progress));
    report = Attach(dataset, request, rows, context.progress);
  }
  display.reset();
  OFINDEX_TRY(report);
  PrintNotes(NotesOn(*report), context);
  Output& out = Output::Standard();
  if (context.json) {
    OFINDEX_TRY(out.Line(Dump(ToJson(*report, dataset.index_path()))));
  } else if (!context.quiet) {
    OFINDEX_TRY(out.Line(StrCat(Printable(report->file), ": ", NamesText(report->columns), " attached to ",
                                FormatCount(report->attached_records), " of ", Counted(report->records, "record"),
                                " by ", Printable(request.key), ", from ", Counted(report->rows, "row"))));
  }
  return 0;
}

Result<int> RunDetach(DetachArguments& arguments, Context& context) {
  DetachRequest& request = arguments.request;
  if (request.all != request.columns.empty()) {
    return Fail(ErrorCode::kUsage, "detach: expected NAMEs of columns, or --all", "`ofindex schema` lists the columns");
  }
  if (arguments.wait) request.target.if_locked = AtomicFile::IfLocked::kWait;
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot, Snapshot::Open(arguments.index));
  OFINDEX_ASSIGN(const DetachReport report, Detach(*snapshot, request, context.progress));
  Output& out = Output::Standard();
  if (context.json) {
    OFINDEX_TRY(out.Line(Dump({{"schema", "ofindex.detach/1"},
                               {"index", JsonText(snapshot->path())},
                               {"file", JsonText(report.file)},
                               {"detached", JsonTexts(report.detached)},
                               {"left", JsonTexts(report.left)}})));
  } else if (!context.quiet) {
    const std::string left = report.left.empty() ? "the file is removed" : NamesText(report.left) + " left";
    OFINDEX_TRY(
        out.Line(StrCat(Printable(report.file), ": ", Counted(report.detached.size(), "column"), " detached; ", left)));
  }
  return 0;
}

}  // namespace

void AddAttach(CommandLine& line, Context& context) {
  Verb verb =
      AddVerb(line, context, "attach", "Attach the columns of a table to the records of an index", Formats::kJson);
  auto arguments = std::make_shared<AttachArguments>();
  AttachRequest& request = arguments->request;
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("TABLE", arguments->table, "A CSV, TSV or JSON lines file; - is standard input").Required();
  verb.AddOption("--key", request.key, "COLUMN",
                 "The column or feature whose values match rows with records; _id: the ordinals of records")
      .Required()
      .NotEmpty();
  verb.AddOption("--table-key", request.table_key, "NAME",
                 "The column of TABLE with these keys; default: of the same name")
      .NotEmpty();
  verb.AddOption("--columns", arguments->columns, "NAME,...", "Columns of TABLE to attach; default: all but the key")
      .NotEmpty();
  verb.AddOption("--as", request.prefix, "PREFIX", "Text before the names of the attached columns").NotEmpty();
  verb.AddFlag("--replace", request.replace, "Replace attached columns of the same names");
  verb.AddOption("-o,--output", request.target.file, "FILE",
                 "Write the columns to FILE, for --attach of other verbs; default: next to the index")
      .NotEmpty();
  verb.AddOption("--table-format", arguments->format, "FORMAT",
                 "csv, tsv or jsonl: the format of a TABLE without a known suffix; standard input: detected from its "
                 "first line")
      .OneOf({"csv", "tsv", "jsonl"});
  AddReadingOptions(verb, arguments->reading);
  verb.AddFlag("--wait", arguments->wait, "Wait for another process that is writing the same index or file");
  verb.Runs([arguments, &context] { return RunAttach(*arguments, context); });
}

void AddDetach(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "detach", "Drop attached columns", Formats::kJson);
  auto arguments = std::make_shared<DetachArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddArgument("NAME", arguments->request.columns, "Attached columns").Completes(Completes::kColumn);
  verb.AddFlag("--all", arguments->request.all, "All attached columns, also those of a damaged file");
  verb.AddOption("-o,--output", arguments->request.target.file, "FILE",
                 "The file that attach wrote with this option; default: that next to the index")
      .NotEmpty();
  verb.AddFlag("--wait", arguments->wait, "Wait for another process that is writing the same index or file");
  verb.Runs([arguments, &context] { return RunDetach(*arguments, context); });
}

}  // namespace ofindex
