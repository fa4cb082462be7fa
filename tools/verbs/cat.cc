#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/output/set_names.h"
#include "index/shards/output_rule.h"
#include "query/dataset.h"
#include "tools/options/attachments.h"
#include "tools/options/reading_options.h"
#include "tools/options/selecting.h"
#include "tools/ordinals/listed_records.h"
#include "tools/ordinals/ordinal_source.h"
#include "tools/packing/row_files.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/show/chosen_features.h"
#include "tools/show/lost_shards.h"
#include "tools/show/record_stream.h"
#include "tools/streams/record_form.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct CatArguments {
  std::string index;
  std::string range = ":";
  std::string ids;
  Expression where;
  std::vector<std::string> feature;
  std::string to;
  bool no_header = false;
  std::string output;
  bool force = false;
  ReaderOptions reading;
};

constexpr char kToFileHint[] = "write a file with -o FILE, or redirect the output";

bool IsToFile(const CatArguments& arguments) { return !arguments.output.empty() && arguments.output != "-"; }

// The destination of the records: standard output, or a file that is renamed into place when it is complete.
class Sink {
 public:
  [[nodiscard]] static Result<Sink> Open(const std::string& path) {
    Sink sink;
    if (path.empty() || path == "-") return sink;
    OFINDEX_ASSIGN(sink.temporary_, AtomicFile::Begin(path, AtomicFile::IfLocked::kFail));
    OFINDEX_ASSIGN(sink.file_, sink.temporary_->Open());
    sink.replaces_ = StatFile(path).has_value();
    return sink;
  }

  Result<void> Write(ByteView bytes) { return file_ ? file_->Append(bytes) : Output::Standard().Write(bytes); }

  /// Returns true if Close() replaces an existing file.
  [[nodiscard]] bool replaces() const { return replaces_; }

  /// Returns the number of bytes written to the file.
  [[nodiscard]] uint64_t bytes() const { return file_ ? file_->size() : 0; }

  Result<void> Close() {
    if (!file_) return Output::Standard().Flush();
    OFINDEX_TRY(file_->Flush());
    return temporary_->Publish(AtomicFile::Durability::kDurable);
  }

 private:
  std::optional<AtomicFile> temporary_;
  std::optional<OutputFile> file_;
  bool replaces_ = false;
};

Result<NextOrdinal> OrdinalsFor(const CatArguments& arguments, const Dataset& dataset, const Context& context) {
  if (arguments.where.given()) return OrdinalsWhere(arguments.where, arguments.range, dataset, context);
  if (!arguments.ids.empty()) return OrdinalsListed(arguments.ids, dataset, context);
  return OrdinalsOfRange(arguments.range, dataset);
}

OutputKind KindOf(const CatArguments& arguments) {
  if (const std::optional<Framing> framing = ParseFraming(arguments.to)) return OutputOf(*framing);
  if (arguments.to == "csv") return OutputKind::kCsv;
  if (arguments.to == "arrow") return OutputKind::kArrow;
  return arguments.to == "raw" ? OutputKind::kRaw : OutputKind::kJsonLines;
}

// Returns the form that the end of a file's name implies; empty for other names.
std::string FormOfName(const std::string& path) {
  if (path.ends_with(".arrow") || path.ends_with(".feather")) return "arrow";
  if (path.ends_with(".parquet")) return "parquet";
  const std::optional<RowFormat> rows = RowFormatOf(path);
  if (rows == RowFormat::kCsv) return "csv";
  if (rows == RowFormat::kJsonLines) return "jsonl";
  const std::optional<Framing> framing = FramingOfName(std::filesystem::path(path).filename().string());
  return framing && !path.ends_with(".gz") ? std::string(Name(*framing)) : "";
}

// Refuses to write the bytes of shards and Arrow to a terminal. Those of payloads may be text.
Result<void> CheckTerminal(const CatArguments& arguments) {
  if (IsToFile(arguments) || arguments.to == "jsonl" || arguments.to == "csv" || arguments.to == "raw") return {};
  return RefuseOnTerminal(StrCat("--to ", arguments.to), kToFileHint);
}

// Sets the form if it was not requested.
void ChooseForm(CatArguments& arguments) {
  if (!arguments.to.empty()) return;
  const std::string implied = IsToFile(arguments) ? FormOfName(arguments.output) : "";
  arguments.to = implied.empty() ? "jsonl" : implied;
}

// A file must not have the name of another form: nobody could read it.
Result<void> CheckName(const CatArguments& arguments) {
  const std::string implied = FormOfName(arguments.output);
  if (implied.empty() || implied == arguments.to || arguments.to == "raw") return {};
  return Fail(ErrorCode::kUsage,
              StrCat(Printable(arguments.output), ": the name is that of ", implied, ", and the form is ", arguments.to,
                     "; expected a name for that"),
              StrCat("omit --to, or give --to ", implied, ", or another name"));
}

// Runs before any record is read. The output must not be an input, and a new shard must not lie among the input shards.
Result<void> CheckSink(const CatArguments& arguments, const Dataset& dataset) {
  if (!IsToFile(arguments)) return {};
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  InputFiles inputs(dataset.index_path(), catalog->shards(), catalog->facts().sources, arguments.reading.root);
  inputs.Add(arguments.index);
  inputs.Add(arguments.ids);
  const bool shard = ParseFraming(arguments.to).has_value();
  if (shard) OFINDEX_TRY(CheckAlone(arguments.output));
  OFINDEX_TRY(CheckOutput(arguments.output, KindOf(arguments), arguments.force, inputs));
  OFINDEX_TRY(CheckName(arguments));
  if (!shard) return {};
  return CheckOutside(arguments.output, OutputShape::kFile, inputs);
}

// The command has no encoder of Parquet; the Python package works with those that others have.
tl::unexpected<Error> NoParquet(const CatArguments& arguments) {
  return Fail(ErrorCode::kUsage,
              "--to parquet: Parquet is written by the Python package, from the columns of the index; arrow is written "
              "here, and pyarrow reads it",
              StrCat("python3 -c 'import ofindex, pyarrow, pyarrow.parquet; pyarrow.parquet.write_table(pyarrow.table("
                     "ofindex.open(",
                     PythonLiteral(arguments.index), ").arrow()), \"FILE.parquet\")' writes all records"));
}

Result<int> Cat(const CatArguments& arguments, const Context& context) {
  if (arguments.to == "parquet") return NoParquet(arguments);
  if (arguments.no_header && arguments.to != "csv") {
    return Fail(ErrorCode::kUsage, "--no-header requires --to csv", "see `ofindex cat --help`");
  }
  OFINDEX_TRY(CheckTerminal(arguments));
  OFINDEX_ASSIGN(std::vector<std::string> features, ChosenFeatures(arguments.feature));
  OFINDEX_ASSIGN(const Dataset dataset,
                 Dataset::Open(arguments.index, arguments.reading, context.progress, OpeningOptions(context)));
  OFINDEX_TRY(CheckSink(arguments, dataset));
  std::optional<Sink> sink;
  const auto write = [&](ByteView bytes) -> Result<void> {
    if (!IsToFile(arguments) && arguments.to == "raw") OFINDEX_TRY(RefuseOnTerminal(bytes, "--to raw", kToFileHint));
    return sink->Write(bytes);
  };
  const FormRequest request{.form = arguments.to,
                            .features = std::move(features),
                            .header = !arguments.no_header,
                            .to_file = IsToFile(arguments)};
  OFINDEX_ASSIGN(const std::unique_ptr<RecordForm> form, MakeRecordForm(request, dataset, write));
  OFINDEX_ASSIGN(const NextOrdinal next, OrdinalsFor(arguments, dataset, context));
  OFINDEX_ASSIGN(sink, Sink::Open(arguments.output));
  LostShards lost(dataset, context);
  OFINDEX_TRY(form->Begin());
  uint64_t records = 0;
  const auto take = [&](uint64_t ordinal, const LentRecord& record) -> Result<void> {
    OFINDEX_TRY(form->Take(ordinal, record));
    ++records;
    return {};
  };
  OFINDEX_ASSIGN(const int exit_code, StreamRecords(dataset, next, take, context, LargeRecords::kLent, &lost));
  OFINDEX_TRY(form->End());
  // The old file may be complete, and records of a lost shard may become readable later.
  const bool keeps_old = sink->replaces() && lost.exit_code() != 0;
  if (!keeps_old) OFINDEX_TRY(sink->Close());
  if (!keeps_old && IsToFile(arguments)) {
    PrintNote(StrCat("wrote ", Counted(records, "record"), ", ", FormatBytes(static_cast<double>(sink->bytes())),
                     " to ", Printable(arguments.output)),
              context);
  }
  lost.PrintRest();
  if (keeps_old) PrintNote(StrCat("note: ", arguments.output, " is unchanged: not all records could be read"), context);
  return std::max(exit_code, lost.exit_code());
}

}  // namespace

void AddCat(CommandLine& line, Context& context) {
  Verb verb =
      AddVerb(line, context, "cat", "Stream records, in ordinal order or in the order of a list", Formats::kNone);
  auto arguments = std::make_shared<CatArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddOption("--range", arguments->range, "A:B", "Only records A:B; default: all");
  AddWhere(verb, arguments->where,
           "Only records for which this SQL expression holds; with --range, only those of the range");
  AddIds(verb, arguments->ids, "Records of this list of ordinals, in its order").Excludes({"--range", "--where"});
  verb.AddOption("--feature", arguments->feature, "NAME,...",
                 "Only these features (a feature list is NAME[]); a comma in a name is \\,; default: all");
  verb.AddOption(
          "--to", arguments->to, "FORM",
          "jsonl, csv, arrow (a stream or, with -o, a file), tfrecord or ofrecord (unchanged payloads, framed "
          "again), raw (only payloads or, with --feature, values); default: that of the name of FILE, else jsonl")
      .OneOf({"jsonl", "csv", "arrow", "parquet", "tfrecord", "ofrecord", "raw"});
  verb.AddFlag("--no-header", arguments->no_header, "Without the header of --to csv");
  verb.AddOption("-o,--output", arguments->output, "FILE", "A file to write; default: standard output").NotEmpty();
  verb.AddFlag("--force", arguments->force,
               "Replace FILE if it holds records in the output form and is not an input; default: off");
  AddReadingOptions(verb, arguments->reading);
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] {
    ChooseForm(*arguments);
    return Cat(*arguments, context);
  });
}

}  // namespace ofindex
