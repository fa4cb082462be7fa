#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/columns/find_column.h"
#include "query/sampling/mix_quality.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/sets/set_of.h"
#include "tools/options/attachments.h"
#include "tools/options/selecting.h"
#include "tools/ordinals/listed_records.h"
#include "tools/sampling/batch_text.h"
#include "tools/sampling/block_option.h"
#include "tools/sampling/mix_text.h"
#include "tools/sampling/ordinal_text.h"
#include "tools/sampling/steps.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct SampleArguments {
  std::string index;
  std::string ids;
  std::optional<uint64_t> count;
  std::string block;
  std::optional<uint64_t> lanes;
  std::optional<std::string> quality;
  std::optional<uint64_t> batch_total;
  std::string batch_by;
  std::optional<uint64_t> pack;
  std::string length;
  uint64_t window = BatchLimits::kPackWindow;
  StepRequest steps;
  Expression where;
  SampleRequest request;
};

Result<void> PrintQuality(const Sampler& sampler, ColumnStore& columns, const SampleArguments& arguments,
                          const Context& context, Output& out) {
  constexpr uint64_t kBatch = 256;
  constexpr uint64_t kMaxPositions = 1'000'000;
  OFINDEX_ASSIGN(const ClassNumbers classes,
                 ClassesOf(columns, sampler.view(), *arguments.quality, &context.progress.cancel));
  OFINDEX_ASSIGN(const MixQuality quality,
                 MeasureMix(sampler.method(), sampler.seed(), sampler.epoch(), classes, kBatch,
                            arguments.count.value_or(kMaxPositions), &context.progress.cancel));
  return PrintMix(quality, *arguments.quality, context, out);
}

// The batches that are asked for, if any.
std::optional<BatchRequest> BatchesOf(const SampleArguments& arguments) {
  if (!arguments.batch_total && !arguments.pack) return std::nullopt;
  BatchRequest batches{.by = arguments.pack ? arguments.length : arguments.batch_by,
                       .most = arguments.count.value_or(UINT64_MAX),
                       .slice = arguments.request.slice,
                       .tail = arguments.request.tail};
  batches.limits.total = arguments.pack ? *arguments.pack : *arguments.batch_total;
  if (arguments.pack) {
    batches.limits.window = arguments.window;
    batches.limits.packed = RowBatches{.rows = arguments.steps.batch};
  }
  return batches;
}

Result<int> DrawSample(const SampleArguments& arguments, const Context& context) {
  const Watchdog watchdog(std::nullopt, context);
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot,
                 Snapshot::Open(arguments.index, OpeningOptions(context)));
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot->Catalog());
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> columns, snapshot->Columns());
  for (const auto& name : {arguments.request.weights, arguments.request.balance, arguments.quality}) {
    if (name) OFINDEX_TRY(FindValueColumn(*columns, *name));
  }
  SampleRequest request = arguments.request;
  OFINDEX_ASSIGN(request.block, ParseBlock(arguments.block, arguments.lanes, snapshot, context));
  const bool shuffles = arguments.block.empty() && !request.weights && !request.balance;
  if (shuffles && !arguments.quality) AdviseBlocks(snapshot, context);
  const std::optional<BatchRequest> batches = BatchesOf(arguments);
  if (batches || arguments.quality) request.slice = {};
  if (!arguments.ids.empty()) {
    OFINDEX_ASSIGN(request.view, ListedRecords(arguments.ids, *columns, context));
  }
  if (arguments.where.given()) {
    OFINDEX_ASSIGN(const Selection selection, SelectRecords(*snapshot, arguments.where, context));
    request.view = request.view ? request.view->Where(SetOf(selection)) : View::Of(SetOf(selection));
  }
  SqlLimits limits;
  limits.cancel = &context.progress.cancel;
  OFINDEX_ASSIGN(Sampler sampler, OpenSampler(columns, catalog->generations(), request, limits));
  const uint64_t most = arguments.count.value_or(UINT64_MAX);
  Output& out = Output::Standard();
  OFINDEX_TRY(SkipSteps(arguments.steps, request.slice, request.tail, sampler));
  if (arguments.steps.prints()) {
    OFINDEX_TRY(PrintSteps(arguments.steps, request.slice, request.tail, sampler, context, out));
  } else if (arguments.quality) {
    OFINDEX_TRY(PrintQuality(sampler, *columns, arguments, context, out));
  } else if (batches) {
    OFINDEX_TRY(PrintBatches(sampler, snapshot, *batches, context, out));
  } else {
    OFINDEX_TRY(PrintOrdinals(sampler, most, context, out));
  }
  return 0;
}

// The position of this reader in the epoch, and among the ranks.
void AddReaderOptions(Verb& verb, SampleRequest& request) {
  verb.AddNumber("--position", request.position, "P", "Position in the epoch at which all ranks begin; default 0");
  verb.AddNumber("--rank", request.slice.rank, "R",
                 "This reader's rank, from 0: it reads positions P+R, P+R+W, ...; default 0");
  verb.AddNumber("--world", request.slice.world, "W", "Number of ranks; default 1");
  verb.AddChoice("--tail", request.tail, {{"exact", Tail::kExact}, {"pad", Tail::kPad}, {"drop", Tail::kDrop}}, "TAIL",
                 "At the end of an epoch: exact (each record once), or pad or drop records, so that all ranks read the "
                 "same number; default exact");
}

void AddOrderOptions(Verb& verb, SampleArguments& arguments) {
  SampleRequest& request = arguments.request;
  AddWhere(verb, arguments.where, "Only records for which this SQL expression holds");
  AddIds(verb, arguments.ids, "Only records of this list of ordinals, such as one of `ofindex split`");
  verb.AddOption("--weights", request.weights, "COLUMN", "Draw with replacement, in proportion to this numeric column");
  verb.AddOption("--balance", request.balance, "COLUMN",
                 "Draw with replacement, with the same probability for each value of this column")
      .Excludes({"--weights"});
  verb.AddOption("--temperature", request.temperature, "T",
                 "For --balance: draw values by their frequency to the power 1/T; 1: as in the data; default infinity: "
                 "with equal probability")
      .Needs("--balance");
  verb.AddOption("--block", arguments.block, "N",
                 "Read runs of N consecutive records, shuffled within a window of runs; auto chooses N, and prints it "
                 "with the reason; default: a global shuffle")
      .Excludes({"--weights", "--balance"});
  verb.AddNumber("--lanes", arguments.lanes, "C",
                 "For --block: number of parallel streams of the epoch, each with its own runs; use a multiple of "
                 "ranks times workers, so that each worker has its own streams; default 64")
      .Needs("--block");
}

// Outputs other than ordinals.
void AddPrintOptions(Verb& verb, SampleArguments& arguments) {
  verb.AddNumber("--batch-total", arguments.batch_total, "SUM",
                 "Batches, one per line, whose lengths add up to at most this; -n then counts batches");
  verb.AddOption("--batch-by", arguments.batch_by, "COLUMN",
                 "For --batch-total: the column of lengths; default payload bytes")
      .Needs("--batch-total");
  verb.AddNumber("--pack", arguments.pack, "TOKENS",
                 "Rows of this many tokens into which sequences are packed by best fit, one per line; -n then counts "
                 "rows, and --batch-size says how many of them a rank reads in a step")
      .Excludes({"--batch-total"});
  verb.AddOption("--length", arguments.length, "COLUMN",
                 "For --pack: the column of the sequences' lengths; default payload bytes")
      .Needs("--pack");
  verb.AddNumber("--window", arguments.window, "W",
                 "For --pack: positions of the epoch that are packed together; default 16384")
      .Needs("--pack");
  verb.AddOption("--quality", arguments.quality, "COLUMN",
                 "Instead of ordinals: how well the order mixes the values of this column, over the first million "
                 "positions (or -n)")
      .Excludes({"--batch-total", "--pack", "--weights", "--balance", "--position", "--rank", "--world", "--tail"});
}

// Options about the steps of the run.
void AddStepOptions(Verb& verb, StepRequest& request) {
  verb.AddNumber("--batch-size", request.batch, "B",
                 "For --step, --when, --skip and --pack: records, or rows, that each rank reads in a step; default 1")
      .Between(1, uint64_t{1} << 28);
  verb.AddNumber("--step", request.step, "N",
                 "Only what this rank reads in step N, counted from 0 and through all epochs")
      .Excludes({"--batch-total", "--pack", "--quality", "--epoch", "--position", "-n"});
  verb.AddNumber("--when", request.ordinal, "ORDINAL",
                 "Instead of ordinals: at which steps which rank reads this record in the epoch")
      .Excludes({"--batch-total", "--pack", "--quality", "--position", "-n", "--step"});
  verb.AddOption("--skip", request.skipped, "A:B,...", "Leave out steps A to B - 1, as a run does that skips them")
      .Excludes({"--batch-total", "--pack", "--quality", "--position"});
}

}  // namespace

void AddSample(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "sample", "Ordinals in the order in which a training run would read them",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<SampleArguments>();
  SampleRequest& request = arguments->request;
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  verb.AddNumber("-n", arguments->count, "K", "Number of ordinals; default: to the end of the epoch");
  verb.AddNumber("--seed", request.seed, "S", "Seed of the run; default 0");
  verb.AddNumber("--epoch", request.epoch, "E", "Epoch, from 0; each has a different order; default 0");
  AddReaderOptions(verb, request);
  AddOrderOptions(verb, *arguments);
  AddPrintOptions(verb, *arguments);
  AddStepOptions(verb, arguments->steps);
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return DrawSample(*arguments, context); });
}

}  // namespace ofindex
