#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/shards/output_rule.h"
#include "query/dataset.h"
#include "tools/options/attachments.h"
#include "tools/options/reading_options.h"
#include "tools/report_page/report_page.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxRandomRecords = 1000;
constexpr size_t kMaxPageBins = 100;

struct ReportArguments {
  std::string index;
  std::string output;
  bool force = false;
  std::vector<std::string> shapes;
  PageRequest page;
  ReaderOptions reading;
};

bool IsToStandardOutput(const ReportArguments& arguments) { return arguments.output == "-"; }

Result<void> TakeShapes(ReportArguments& arguments) {
  for (const std::string& given : arguments.shapes) {
    const size_t equals = given.rfind('=');
    const std::string text = equals == std::string::npos ? "" : given.substr(equals + 1);
    const std::optional<PixelShape> shape = ParsePixelShape(text);
    if (!shape) {
      return Fail(ErrorCode::kUsage,
                  StrCat("--shape ", Printable(given),
                         ": expected NAME=HEIGHTxWIDTH or NAME=HEIGHTxWIDTHxCHANNELS, with "
                         "sides of 1 to 4096 and 1, 3 or 4 channels"),
                  "`ofindex schema` lists the features and their numbers of values");
    }
    arguments.page.shapes.Set(given.substr(0, equals), *shape);
  }
  return {};
}

// Returns the options that make the page again, but not those that say where its files are.
std::string OptionsOf(const ReportArguments& arguments) {
  std::string options = StrCat(" --seed ", arguments.page.seed, " -n ", arguments.page.records);
  if (arguments.page.detail.bins != ColumnDetail().bins) options += StrCat(" --bins ", arguments.page.detail.bins);
  if (!arguments.page.title.empty()) options += StrCat(" --title ", ShellWord(arguments.page.title));
  for (const std::string& shape : arguments.shapes) options += StrCat(" --shape ", ShellWord(shape));
  return options;
}

// A misspelt name would have no effect, and nobody would see why.
Result<void> NoteUnknownShapes(const ReportArguments& arguments, const Dataset& dataset, const Context& context) {
  if (arguments.shapes.empty()) return {};
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, dataset.snapshot()->Columns());
  for (const std::string& shape : arguments.shapes) {
    const std::string name = shape.substr(0, shape.rfind('='));
    const auto is_called = [&](const FeatureRow& row) { return row.name == name; };
    if (std::any_of(store->features().begin(), store->features().end(), is_called)) continue;
    PrintNote(StrCat("--shape ", Printable(shape), " changes nothing: no record has a feature of that name"), context);
  }
  return {};
}

// Runs before anything is computed. The page must not replace a file that is read, or one that is not a page.
Result<void> CheckPage(const ReportArguments& arguments, const Dataset& dataset, const Context& context) {
  if (IsToStandardOutput(arguments)) {
    if (!context.json) return {};
    return Fail(ErrorCode::kUsage, "-o - writes the page to standard output, where --json writes its document",
                "name a file with -o FILE");
  }
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  InputFiles inputs(dataset.index_path(), catalog->shards(), catalog->facts().sources, arguments.reading.root);
  inputs.Add(arguments.index);
  for (const std::string& attached : context.attachments) inputs.Add(attached);
  return CheckOutput(arguments.output, OutputKind::kHtml, arguments.force, inputs);
}

// The page goes to standard output, or to a file that is renamed into place when it is complete.
class PageFile {
 public:
  [[nodiscard]] static Result<PageFile> Open(const ReportArguments& arguments) {
    PageFile page;
    if (IsToStandardOutput(arguments)) return page;
    OFINDEX_ASSIGN(page.temporary_, AtomicFile::Begin(arguments.output, AtomicFile::IfLocked::kFail));
    OFINDEX_ASSIGN(page.file_, page.temporary_->Open());
    return page;
  }

  Result<void> Write(std::string_view text) {
    bytes_ += text.size();
    return file_ ? file_->Append(AsBytes(text)) : Output::Standard().Write(text);
  }

  Result<void> Close() {
    if (!file_) return Output::Standard().Flush();
    OFINDEX_TRY(file_->Flush());
    return temporary_->Publish(AtomicFile::Durability::kDurable);
  }

  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  std::optional<AtomicFile> temporary_;
  std::optional<OutputFile> file_;
  uint64_t bytes_ = 0;
};

Result<void> PrintSummary(const PageSummary& summary, const PageFacts& facts, uint64_t bytes,
                          const ReportArguments& arguments, const Context& context) {
  if (!context.json) {
    if (IsToStandardOutput(arguments)) return {};
    PrintNote(StrCat("wrote ", Printable(arguments.output), ", ", FormatBytes(static_cast<double>(bytes)), ": ",
                     Counted(summary.columns, "column"), ", ", Counted(summary.records, "record"), ", ",
                     Counted(summary.pictures, "picture"),
                     summary.unread == 0 ? "" : StrCat("; ", Counted(summary.unread, "record"), " could not be read")),
              context);
    return {};
  }
  const EqualRecords equal = facts.equal.value_or(EqualRecords());
  return Output::Standard().Line(Dump({{"schema", "ofindex.report/1"},
                                       {"index", JsonText(facts.name)},
                                       {"file", JsonText(arguments.output)},
                                       {"bytes", bytes},
                                       {"records", facts.dataset.records},
                                       {"columns", summary.columns},
                                       {"cards", summary.records},
                                       {"unread", summary.unread},
                                       {"pictures", summary.pictures},
                                       {"picture_bytes", summary.picture_bytes},
                                       {"pictures_left_out", summary.pictures_left_out},
                                       {"shards_lost", facts.states.errors.size()},
                                       {"group_count", facts.equal ? Json(equal.groups) : Json(nullptr)}}));
}

// Prints what is wrong with shards, and returns the exit code: the page is written even so.
int PrintLostShards(const ShardStates& states, const Context& context) {
  if (states.errors.empty()) return 0;
  int exit_code = 0;
  std::vector<std::string> rest;
  for (const Error& error : states.errors) {
    exit_code = std::max(exit_code, ExitCode(error.code));
    if (&error != &states.errors.front()) rest.push_back(error.message);
  }
  PrintError(states.errors.front(), context);
  PrintMoreErrors(rest, context);
  return exit_code;
}

Result<int> WriteReport(ReportArguments& arguments, Context& context) {
  OFINDEX_TRY(TakeShapes(arguments));
  arguments.page.options = OptionsOf(arguments);
  OFINDEX_ASSIGN(const Dataset dataset,
                 Dataset::Open(arguments.index, arguments.reading, context.progress, OpeningOptions(context)));
  OFINDEX_TRY(CheckPage(arguments, dataset, context));
  OFINDEX_TRY(NoteUnknownShapes(arguments, dataset, context));
  OFINDEX_ASSIGN(PageFile file, PageFile::Open(arguments));
  Html html([&file](std::string_view text) { return file.Write(text); });
  std::optional<ProgressDisplay> display(std::in_place, "report", context);
  const Result<PageFacts> facts = ReadPageFacts(dataset, context.progress);
  OFINDEX_TRY(facts);
  const Result<PageSummary> summary = WriteReportPage(dataset, *facts, arguments.page, context.progress, html);
  display.reset();
  OFINDEX_TRY(summary);
  OFINDEX_TRY(file.Close());
  OFINDEX_TRY(PrintSummary(*summary, *facts, file.bytes(), arguments, context));
  OFINDEX_TRY(Output::Standard().Flush());
  return PrintLostShards(facts->states, context);
}

}  // namespace

void AddReport(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "report", "A page about the dataset in one HTML file, for others to look at",
                      Formats::kJson);
  auto arguments = std::make_shared<ReportArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddOption("-o,--output", arguments->output, "FILE", "The page to write; -: standard output")
      .Required()
      .NotEmpty();
  verb.AddFlag("--force", arguments->force, "Replace FILE if it is such a page; default: off");
  verb.AddOption("--title", arguments->page.title, "TEXT", "Title of the page; default: the name of the index");
  verb.AddOption("-n", arguments->page.records, "K", "Number of random records; default 24")
      .Between(uint64_t{0}, kMaxRandomRecords);
  verb.AddNumber("--seed", arguments->page.seed, "S",
                 "Seed by which they are drawn, as by `ofindex sample`; default 0");
  verb.AddOption("--bins", arguments->page.detail.bins, "N", "Bins of a histogram; default 20")
      .Between(size_t{1}, kMaxPageBins);
  verb.AddOption("--shape", arguments->shapes, "NAME=HxWxC",
                 "The numbers of this feature are pixels of H rows and W columns, with 1, 3 or 4 channels; default: as "
                 "features called height, width and channels, or shape, say");
  AddReadingOptions(verb, arguments->reading);
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return WriteReport(*arguments, context); });
}

}  // namespace ofindex
