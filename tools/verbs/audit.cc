#include "query/audit/audit.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/shards/output_rule.h"
#include "query/dataset.h"
#include "query/images/perceptual_hash.h"
#include "tools/options/attachments.h"
#include "tools/options/reading_options.h"
#include "tools/report/audit_report.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr size_t kMostShownGroups = 1'000'000'000;
constexpr size_t kGroupsInText = 10;

struct AuditArguments {
  std::vector<std::string> indexes;
  AuditText text;
  bool near = false;
  unsigned distance = SimilarityHash::kDefaultDistance;
  std::optional<size_t> top;  // not given: all groups in data formats, at most ten otherwise
  std::vector<std::string> outputs;
  bool force = false;
  ReaderOptions reading;
  unsigned threads = 0;
};

// A table that is written for one index.
struct VerdictFile {
  AtomicFile temporary;
  OutputFile file;
};

Result<void> CheckArguments(const AuditArguments& arguments, const Context& context) {
  const bool several = arguments.indexes.size() > 1;
  if (several && !arguments.reading.root.empty()) {
    return Fail(ErrorCode::kUsage, "--root is the folder of one dataset; expected a single INDEX",
                "build an index where the copy is, with `ofindex build DATA`");
  }
  if (several && !context.attachments.empty()) {
    return Fail(ErrorCode::kUsage, "--attach is for the columns of one dataset; expected a single INDEX",
                "attach them next to the index, by the same command without -o");
  }
  if (arguments.outputs.empty() || arguments.outputs.size() == arguments.indexes.size()) return {};
  return Fail(ErrorCode::kUsage,
              StrCat("-o is given ", Counted(arguments.outputs.size(), "time"), " for ",
                     Counted(arguments.indexes.size(), "index"), "; expected one FILE for each INDEX, in their order"),
              "see `ofindex audit --help`");
}

// Opens the tables before anything is read. None may be an input, or be written twice.
Result<std::deque<VerdictFile>> OpenOutputs(const AuditArguments& arguments, const std::deque<Dataset>& datasets) {
  std::deque<VerdictFile> files;
  for (const std::string& path : arguments.outputs) {
    for (size_t i = 0; i < datasets.size(); ++i) {
      OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, datasets[i].snapshot()->Catalog());
      InputFiles inputs(datasets[i].index_path(), catalog->shards(), catalog->facts().sources, arguments.reading.root);
      inputs.Add(arguments.indexes[i]);
      OFINDEX_TRY(CheckOutput(path, OutputKind::kCsv, arguments.force, inputs));
    }
  }
  for (const std::string& path : arguments.outputs) {
    OFINDEX_ASSIGN(AtomicFile temporary, AtomicFile::Begin(path, AtomicFile::IfLocked::kFail));
    OFINDEX_ASSIGN(OutputFile file, temporary.Open());
    files.push_back({std::move(temporary), std::move(file)});
  }
  return files;
}

Result<void> WriteOutputs(const AuditReport& report, const AuditArguments& arguments,
                          const std::deque<Dataset>& datasets, std::deque<VerdictFile>& files, const Context& context) {
  for (size_t i = 0; i < files.size(); ++i) {
    OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, datasets[i].snapshot()->Columns());
    OFINDEX_TRY(WriteVerdicts(report, i, *store, arguments.text, context.progress, files[i].file));
    OFINDEX_TRY(files[i].file.Flush());
  }
  for (size_t i = 0; i < files.size(); ++i) {
    OFINDEX_TRY(files[i].temporary.Publish(AtomicFile::Durability::kDurable));
    PrintNote(StrCat("wrote ", Printable(arguments.outputs[i]), ", a table for ofindex attach with --key _id"),
              context);
  }
  return {};
}

Result<void> Print(const AuditReport& report, const AuditArguments& arguments, double seconds, const Context& context) {
  Output& out = Output::Standard();
  const bool data = context.json || context.jsonl;
  const std::vector<size_t> groups =
      LargestGroups(report, data || arguments.top ? arguments.top : std::optional(kGroupsInText));
  if (!data) return PrintAudit(report, arguments.text, groups, out);
  if (context.json) {
    Json document = JsonAudit(report, arguments.text);
    document["seconds"] = seconds;
    std::string begin = Dump(document);
    begin.pop_back();
    OFINDEX_TRY(out.Write(begin + ",\"groups\":["));
  }
  for (size_t i = 0; i < groups.size(); ++i) {  // piece by piece: there may be millions
    if (context.progress.cancel) return Interrupted();
    if (context.json && i != 0) OFINDEX_TRY(out.Write(","));
    const std::string group = Dump(JsonAuditGroup(report, groups[i]));
    OFINDEX_TRY(context.json ? out.Write(group) : out.Line(group));
  }
  return context.json ? out.Line("]}") : Result<void>();
}

Result<int> RunAuditOf(AuditArguments& arguments, Context& context) {
  OFINDEX_TRY(CheckArguments(arguments, context));
  std::shared_ptr<const PerceptualHash> images;
  if (arguments.near) {
    OFINDEX_ASSIGN(images, PerceptualHash::Make());
    arguments.text.near = arguments.distance;
  }
  AuditRequest request{.feature = arguments.text.feature,
                       .label = arguments.text.label,
                       .split = arguments.text.split,
                       .near = {.decoder = images.get(), .distance = arguments.distance},
                       .trust_hashes = arguments.text.trusted,
                       .threads = arguments.threads};
  std::error_code error;
  if (const auto folder = std::filesystem::temp_directory_path(error); !error) request.folder = folder.string();
  std::deque<Dataset> datasets;
  for (const std::string& index : arguments.indexes) {
    OFINDEX_ASSIGN(Dataset dataset, Dataset::Open(index, arguments.reading, context.progress, OpeningOptions(context)));
    datasets.push_back(std::move(dataset));
    request.sets.push_back({.dataset = &datasets.back()});
  }
  OFINDEX_ASSIGN(std::deque<VerdictFile> files, OpenOutputs(arguments, datasets));
  const auto start = std::chrono::steady_clock::now();
  std::optional<ProgressDisplay> display(std::in_place, "audit", context);
  const Result<AuditReport> report = Audit(request, context.progress);
  display.reset();
  OFINDEX_TRY(report);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  OFINDEX_TRY(WriteOutputs(*report, arguments, datasets, files, context));
  OFINDEX_TRY(Print(*report, arguments, seconds, context));
  return 0;
}

}  // namespace

void AddAudit(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "audit", "Find duplicates, conflicting labels and leaks across datasets",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<AuditArguments>();
  verb.AddArgument("INDEX", arguments->indexes, "Indexes, or the DATA that they are named after").Required();
  verb.AddOption("--on", arguments->text.feature, "NAME",
                 "Compare the byte strings of this feature; default: the whole payloads")
      .NotEmpty()
      .Completes(Completes::kFeature);
  verb.AddFlag("--near", arguments->near,
               "Find images that look alike in the feature of --on, JPEG or PNG; default: equal bytes")
      .Needs("--on");
  verb.AddOption("--distance", arguments->distance, "BITS",
                 StrCat("How much images of --near may differ, 0 to ", SimilarityHash::kMaxDistance, " of ",
                        SimilarityHash::kBits, " bits; default ", SimilarityHash::kDefaultDistance))
      .Between(0U, SimilarityHash::kMaxDistance)
      .Needs("--near");
  verb.AddOption("--label", arguments->text.label, "COLUMN",
                 "Report a conflict if equal records have different values of this column")
      .NotEmpty();
  verb.AddOption("--split", arguments->text.split, "COLUMN",
                 "Report a leak also if equal records of one INDEX have different values of this column")
      .NotEmpty();
  verb.AddFlag("--trust-hashes", arguments->text.trusted,
               "Take records with the same hash for equal, without reading them; default: compare their bytes")
      .Excludes({"--near"});
  verb.AddOption("--top", arguments->top, "N",
                 "Number of largest groups to show; default 10, but all with --json or --jsonl")
      .Between(size_t{0}, kMostShownGroups);
  verb.AddOption(
          "-o,--output", arguments->outputs, "FILE",
          "Write a CSV table of the columns duplicates, first, weight and leaks (with --label also conflict, with "
          "--near also distance) with a line for each record, for the verb attach; one FILE for each INDEX")
      .NotEmpty();
  verb.AddFlag("--force", arguments->force, "Replace FILE if it is such a table; default: off");
  AddReadingOptions(verb, arguments->reading);
  AddAttachments(verb, context);
  verb.AddOption("-j,--threads", arguments->threads, "N", "Computing threads; default: one per processor")
      .Between(1, 1024);
  verb.Runs([arguments, &context] { return RunAuditOf(*arguments, context); });
}

}  // namespace ofindex
