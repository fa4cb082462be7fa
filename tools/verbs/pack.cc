#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "index/output/folder.h"
#include "index/output/set_names.h"
#include "index/shards/output_rule.h"
#include "tools/options/output_options.h"
#include "tools/packing/pack_source.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

struct PackArguments {
  PackRequest request;
  ShardSetRequest output;
  std::string payload = "auto";
};

Result<PayloadKind> PayloadOf(const PackArguments& arguments) {
  const bool tfrecord = arguments.output.framing == Framing::kTfRecord;
  if (arguments.payload == "auto") return tfrecord ? PayloadKind::kExample : PayloadKind::kOfRecord;
  const PayloadKind kind = *ParsePayloadKind(arguments.payload);
  if ((kind == PayloadKind::kOfRecord) == tfrecord) {
    return Fail(ErrorCode::kUsage,
                StrCat("--payload ", arguments.payload, " is not what ", Name(arguments.output.framing), " files hold"),
                "TFRecords hold example or sequence_example, OFRecord files ofrecord");
  }
  return kind;
}

bool Holds(const std::string& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

// Returns true if no other file next to the shard at `out` has the name of a shard.
bool IsAlone(const std::string& out) {
  const fs::path shard(out);
  const Result<std::vector<std::string>> names = NamesIn(FolderOf(out));
  return names && std::none_of(names->begin(), names->end(), [&](const std::string& name) {
           return name != shard.filename().string() && FramingOfName(name);
         });
}

// Decides what happens to an existing map of labels in the folder of `plan`: it may be replaced, but only together with
// the shards that it describes. Returns true if `text` is to be written.
Result<bool> PlanLabels(const std::string& text, const InputFiles& inputs, bool force, ShardSetPlan& plan) {
  const std::string path = (fs::path(plan.folder) / kLabelsName).string();
  OFINDEX_ASSIGN(const bool is_taken, IsTaken(path));
  if (!is_taken) return !text.empty();
  if (Holds(path, text)) return false;
  const bool replaces_all = !plan.replaced.empty() && (plan.is_folder() || IsAlone(plan.paths.front()));
  if (text.empty() && !(replaces_all && plan.is_folder())) return false;
  if (!replaces_all) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(path), ": already exists, with the labels of other shards"),
                "write to a folder of its own, so that each dataset keeps its map");
  }
  OFINDEX_TRY(CheckOutput(path, OutputKind::kLabels, force, inputs));
  plan.replaced.push_back(path);
  return !text.empty();
}

Json JsonFeatures(const PackSource& source) {
  Json features = Json::array();
  for (const PackedFeature& feature : source.features()) {
    features.push_back({{"name", JsonText(feature.name)}, {"kind", Name(feature.kind)}});
  }
  return features;
}

Result<void> Report(const PackSource& source, const ShardSetWriter& writer, double seconds, const Context& context) {
  if (context.json) {
    Json document = ToJson("ofindex.pack/1", writer, seconds);
    document["features"] = JsonFeatures(source);
    return Output::Standard().Line(Dump(document));
  }
  if (context.quiet) return {};
  std::string features;
  for (const PackedFeature& feature : source.features()) {
    features += StrCat(features.empty() ? "" : ", ", Printable(feature.name), " (", Name(feature.kind), ")");
  }
  OFINDEX_TRY(Output::Standard().Line(Summary(writer)));
  return features.empty() ? Result<void>() : Output::Standard().Line("features: " + features);
}

Result<int> Pack(PackArguments& arguments, Context& context) {
  const auto start = std::chrono::steady_clock::now();
  OFINDEX_ASSIGN(arguments.request.payload, PayloadOf(arguments));
  OFINDEX_ASSIGN(ShardSetPlan plan, PlanShardSet(arguments.output));
  std::optional<ProgressDisplay> display(std::in_place, "pack", context);
  // Files left by a killed writer must not be read as part of a source that contains them.
  RemoveLeftovers(plan);
  OFINDEX_ASSIGN(const std::unique_ptr<PackSource> source, OpenPackSource(arguments.request, context.progress));
  InputFiles inputs(source->paths());
  inputs.Add(arguments.request.schema);
  OFINDEX_TRY(CheckReplaced(plan, arguments.output.force, inputs));
  const std::string labels = source->labels();
  OFINDEX_ASSIGN(const bool has_labels, PlanLabels(labels, inputs, arguments.output.force, plan));
  std::vector<uint64_t> sizes = EvenShares(source->records(), plan.paths.size());
  OFINDEX_ASSIGN(ShardSetWriter writer, ShardSetWriter::Begin(std::move(plan), std::move(sizes)));
  if (has_labels) OFINDEX_TRY(writer.AddFile(std::string(kLabelsName), AsBytes(labels)));
  OFINDEX_TRY(source->ForEach([&](ByteView payload) -> Result<void> {
    ++context.progress.records_done;
    return writer.Write(payload);
  }));
  OFINDEX_TRY(writer.Finish());
  OFINDEX_TRY(writer.Publish());
  display.reset();
  PrintNotes(source->skipped(), context);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  OFINDEX_TRY(Report(*source, writer, seconds, context));
  return 0;
}

void AddSourceOptions(Verb& verb, PackArguments& arguments) {
  PackRequest& request = arguments.request;
  verb.AddArgument("SOURCE", request.sources,
                   "Folders of files, CSV files, JSON lines files; - is standard input, whose form --from gives")
      .Required();
  verb.AddChoice("--from", request.form,
                 {{"files", SourceForm::kFiles},
                  {"jsonl", SourceForm::kJsonLines},
                  {"csv", SourceForm::kCsv},
                  {"tsv", SourceForm::kTsv}},
                 "FORM", "files (one record each), jsonl, csv or tsv; default: by the names of the sources");
  verb.AddOption("--field", request.field, "NAME", "For files: the feature that holds a file's bytes; default content");
  verb.AddOption("--schema", request.schema, "FILE",
                 "For rows: a JSON file of feature names and types; default: inferred from all rows");
  verb.AddChoice("--time-unit", request.unit,
                 {{"s", TimeUnit::kSeconds},
                  {"ms", TimeUnit::kMilliseconds},
                  {"us", TimeUnit::kMicroseconds},
                  {"ns", TimeUnit::kNanoseconds}},
                 "UNIT", "Unit of times and timestamps: s, ms, us or ns; default us");
  verb.AddOption(
          "--payload", arguments.payload, "PAYLOAD",
          "In TFRecords: example (default), or sequence_example, in which lists of lists become feature lists; in "
          "OFRecord files: ofrecord")
      .OneOf({"example", "sequence_example", "ofrecord"});
  verb.AddNumber("--seed", request.seed, "SEED",
                 "Shuffle the records across all shards; default: in the order of the sources");
}

}  // namespace

void AddPack(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "pack", "Write records from files, CSV or JSON lines", Formats::kJson);
  auto arguments = std::make_shared<PackArguments>();
  AddSourceOptions(verb, *arguments);
  AddOutputOptions(verb, arguments->output, "1");
  verb.Runs([arguments, &context] { return Pack(*arguments, context); });
}

}  // namespace ofindex
