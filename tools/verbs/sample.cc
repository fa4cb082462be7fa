#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "query/dataset.h"
#include "query/sampling/inflate_cost.h"
#include "query/sampling/length_batches.h"
#include "query/sampling/mix_quality.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/reading_facts.h"
#include "query/sampling/record_lengths.h"
#include "tools/shell/messages.h"
#include "tools/shell/number_option.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/verbs/mix_text.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr size_t kDrawnAtOnce = 4096;

struct Arguments {
  std::string index;
  std::optional<uint64_t> count;
  std::string block;
  std::optional<uint64_t> lanes;
  std::string tail = "exact";
  std::optional<std::string> quality;
  std::optional<uint64_t> batch_total;
  std::string batch_by;
  SampleRequest request;
};

/// An index being sampled.
struct Sampled {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<SharedCatalog> catalog;
  std::shared_ptr<ColumnStore> store;
};

Result<Sampled> OpenSampled(const std::string& name, const Context& context) {
  Sampled sampled;
  OFINDEX_ASSIGN(sampled.snapshot, Snapshot::Open(name, {.progress = &context.progress}));
  OFINDEX_ASSIGN(sampled.catalog, sampled.snapshot->Catalog());
  OFINDEX_ASSIGN(sampled.store, sampled.snapshot->Columns());
  return sampled;
}

Result<std::optional<BlockShape>> BlockOf(const Arguments& arguments, const Sampled& sampled, const Context& context) {
  if (arguments.block.empty()) return std::nullopt;
  if (arguments.block == "auto") {
    OFINDEX_ASSIGN(const Dataset dataset, Dataset::Open(sampled.snapshot));
    OFINDEX_ASSIGN(const ReadingFacts facts, ReadingFactsOf(dataset));
    BlockChoice choice = ChooseBlock(facts, arguments.lanes);
    PrintNote(choice.reason, context);
    return choice.shape.run == 1 ? std::nullopt : std::optional(choice.shape);
  }
  BlockShape shape;
  shape.lanes = arguments.lanes.value_or(shape.lanes);
  const char* end = arguments.block.data() + arguments.block.size();
  const auto [stop, error] = std::from_chars(arguments.block.data(), end, shape.run);
  if (error != std::errc() || stop != end || shape.run == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("--block ", Printable(arguments.block), ": expected auto or a number of records"));
  }
  return shape;
}

// Warns of the cost of a global shuffle over compressed shards, and suggests a cheaper order.
void AdviseBlocks(const Arguments& arguments, const Sampled& sampled, const Context& context) {
  const SampleRequest& request = arguments.request;
  const bool chosen = !arguments.block.empty() || request.weights || request.balance || arguments.quality;
  if (chosen || !AnyCompressed(sampled.store->shards()) || context.quiet) return;
  const auto dataset = Dataset::Open(sampled.snapshot);
  if (!dataset) return;
  const auto facts = ReadingFactsOf(*dataset);
  if (!facts) return;
  // The order does not need the shards; if they are missing, there is nothing to measure.
  const auto cost = CostOfGlobalShuffle(*dataset, *facts);
  if (cost && *cost) PrintNote(StrCat(**cost, "; --block auto reads them in runs"), context);
}

/// Writes ordinals in batches as they arrive: there may be a hundred million.
class IdWriter {
 public:
  IdWriter(const Context& context, Output& out)
      : before_(context.jsonl ? "{\"_id\":" : ""),
        between_(context.json    ? ","
                 : context.jsonl ? "}\n"
                                 : "\n"),
        json_(context.json),
        out_(out) {}

  Result<void> Begin() { return json_ ? out_.Write("{\"schema\":\"ofindex.sample/1\",\"ids\":[") : Result<void>(); }

  Result<void> Write(std::span<const uint64_t> ordinals) {
    text_.clear();
    for (const uint64_t ordinal : ordinals) {
      if (json_ && std::exchange(some_, true)) text_ += between_;
      text_ += before_;
      Append(ordinal, text_);
      if (!json_) text_ += between_;
    }
    return out_.Write(text_);
  }

  Result<void> End() {
    if (json_) OFINDEX_TRY(out_.Line("]}"));
    return out_.Flush();
  }

  static void Append(uint64_t ordinal, std::string& text) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, ordinal).ptr);
  }

 private:
  std::string_view before_;
  std::string_view between_;
  bool json_;
  Output& out_;
  bool some_ = false;
  std::string text_;
};

Result<int> PrintOrdinals(Sampler& sampler, const Arguments& arguments, const Context& context) {
  IdWriter writer(context, Output::Standard());
  OFINDEX_TRY(writer.Begin());
  uint64_t left = arguments.count.value_or(UINT64_MAX);
  std::vector<uint64_t> ordinals(kDrawnAtOnce);
  while (left > 0) {
    const size_t got = sampler.Next(std::span(ordinals).first(std::min<uint64_t>(left, ordinals.size())));
    if (got == 0) break;
    OFINDEX_TRY(writer.Write(std::span(ordinals).first(got)));
    if (context.progress.cancel) return Interrupted();
    left -= got;
  }
  OFINDEX_TRY(writer.End());
  return 0;
}

std::string Joined(const std::vector<uint64_t>& ordinals, const char* between) {
  std::string text;
  for (const uint64_t ordinal : ordinals) {
    if (!text.empty()) text += between;
    IdWriter::Append(ordinal, text);
  }
  return text;
}

Result<void> PrintBatch(const std::vector<uint64_t>& batch, bool first, const Context& context, Output& out) {
  if (context.json) return out.Write(StrCat(first ? "[" : ",[", Joined(batch, ","), "]"));
  return out.Line(context.jsonl ? StrCat("{\"ids\":[", Joined(batch, ","), "]}") : Joined(batch, " "));
}

Result<int> PrintBatches(const Sampler& whole, const Sampled& sampled, const Arguments& arguments,
                         const Context& context) {
  std::optional<Dataset> dataset;
  LengthsOf lengths;
  if (arguments.batch_by.empty()) {
    OFINDEX_ASSIGN(dataset, Dataset::Open(sampled.snapshot));
    lengths = LengthsOfPayloads(dataset->reader());
  } else {
    OFINDEX_ASSIGN(lengths, LengthsOfColumn(*sampled.store, arguments.batch_by, &context.progress.cancel));
  }
  // Building one batch may take long.
  const LengthsOf watched = [&](std::span<const uint64_t> ordinals, std::span<uint64_t> out) -> Result<void> {
    return context.progress.cancel ? Interrupted() : lengths(ordinals, out);
  };
  const BatchLimits limits{.total = *arguments.batch_total};
  const SampleRequest& request = arguments.request;
  OFINDEX_ASSIGN(LengthBatches batches, LengthBatches::Of(whole, watched, limits, request.slice, request.tail));
  Output& out = Output::Standard();
  if (context.json) OFINDEX_TRY(out.Write("{\"schema\":\"ofindex.sample/1\",\"batches\":["));
  std::vector<uint64_t> batch;
  for (uint64_t i = 0; i < arguments.count.value_or(UINT64_MAX); ++i) {
    OFINDEX_ASSIGN(const bool more, batches.Next(batch));
    if (!more) break;
    OFINDEX_TRY(PrintBatch(batch, i == 0, context, out));
    if (context.progress.cancel) return Interrupted();
  }
  if (context.json) OFINDEX_TRY(out.Line("]}"));
  OFINDEX_TRY(out.Flush());
  return 0;
}

Result<int> ShowQuality(const Sampler& sampler, const Sampled& sampled, const Arguments& arguments,
                        const Context& context) {
  constexpr uint64_t kBatch = 256;
  constexpr uint64_t kMostPositions = 1'000'000;
  OFINDEX_ASSIGN(const ClassNumbers classes,
                 ClassesOf(*sampled.store, sampler.view(), *arguments.quality, &context.progress.cancel));
  OFINDEX_ASSIGN(const MixQuality quality,
                 MeasureMix(sampler.law(), sampler.seed(), sampler.epoch(), classes, kBatch,
                            arguments.count.value_or(kMostPositions), &context.progress.cancel));
  OFINDEX_TRY(PrintMix(quality, *arguments.quality, context, Output::Standard()));
  return 0;
}

Result<int> DrawSample(const Arguments& arguments, const Context& context) {
  const Watchdog watchdog(std::nullopt, context);
  OFINDEX_ASSIGN(const Sampled sampled, OpenSampled(arguments.index, context));
  SampleRequest request = arguments.request;
  OFINDEX_ASSIGN(request.block, BlockOf(arguments, sampled, context));
  AdviseBlocks(arguments, sampled, context);
  if (arguments.batch_total || arguments.quality) request.slice = {};
  SqlLimits limits;
  limits.cancel = &context.progress.cancel;
  OFINDEX_ASSIGN(Sampler sampler, OpenSampler(sampled.store, sampled.catalog->generations(), request, limits));
  if (arguments.quality) return ShowQuality(sampler, sampled, arguments, context);
  if (arguments.batch_total) return PrintBatches(sampler, sampled, arguments, context);
  return PrintOrdinals(sampler, arguments, context);
}

void AddOrderOptions(CLI::App& verb, Arguments& arguments) {
  SampleRequest& request = arguments.request;
  verb.add_option("--where", request.where, "Only records for which this SQL expression holds")->type_name("EXPR");
  CLI::Option* weights =
      verb.add_option("--weights", request.weights, "Draw with replacement, in proportion to this numeric column")
          ->type_name("COLUMN");
  CLI::Option* balance = verb.add_option("--balance", request.balance,
                                         "Draw with replacement, with equal probability per value of this column")
                             ->type_name("COLUMN");
  weights->excludes(balance);
  verb.add_option("--temperature", request.temperature,
                  "For --balance: draw values by their frequency to the power 1/T; 1: as in the data; default "
                  "infinity: with equal probability")
      ->needs(balance)
      ->type_name("T");
  CLI::Option* block =
      verb.add_option("--block", arguments.block,
                      "Read runs of N consecutive records, shuffled within a window of runs; auto chooses N, and "
                      "prints it with the reason; default: a global shuffle")
          ->excludes(weights)
          ->excludes(balance)
          ->type_name("N");
  AddNumber(verb, "--lanes", arguments.lanes,
            "For --block: lanes of the epoch, read side by side, each with its own runs; use a multiple of ranks times "
            "workers, so that each worker reads its own; default 64",
            "C")
      ->needs(block);
}

}  // namespace

void AddSample(CLI::App& app, Context& context, VerbBody& body) {
  CLI::App* verb = AddVerb(app, context, "sample", "Ordinals in the order in which a training run would read them",
                           Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<Arguments>();
  SampleRequest& request = arguments->request;
  verb->add_option("INDEX", arguments->index, "The index, or the DATA that it is named after")->required();
  AddNumber(*verb, "-n", arguments->count, "Number of ordinals; default: to the end of the epoch", "K");
  AddNumber(*verb, "--seed", request.seed, "Seed of the run; default 0", "S");
  AddNumber(*verb, "--epoch", request.epoch, "Epoch, from 0; each has a different order; default 0", "E");
  const std::vector<CLI::Option*> of_readers = {
      AddNumber(*verb, "--position", request.position, "Position in the epoch at which all ranks begin; default 0",
                "P"),
      AddNumber(*verb, "--rank", request.slice.rank,
                "This reader's rank, from 0: it reads positions P+R, P+R+W, ...; default 0", "R"),
      AddNumber(*verb, "--world", request.slice.world, "Number of ranks; default 1", "W"),
      verb->add_option(
              "--tail", arguments->tail,
              "If ranks do not divide the rest: exact (each record once), pad or drop (ranks read the same number); "
              "default exact")
          ->check(CLI::IsMember({"exact", "pad", "drop"}).description(""))
          ->type_name("TAIL")};
  AddOrderOptions(*verb, *arguments);
  CLI::Option* batch =
      AddNumber(*verb, "--batch-total", arguments->batch_total,
                "Batches, one per line, whose lengths add up to at most this; -n then counts batches", "SUM");
  verb->add_option("--batch-by", arguments->batch_by, "For --batch-total: the column of lengths; default payload bytes")
      ->needs(batch)
      ->type_name("COLUMN");
  CLI::Option* quality =
      verb->add_option(
              "--quality", arguments->quality,
              "Instead of ordinals: how well the order mixes the values of this column, over the first million "
              "positions (or -n)")
          ->excludes(batch)
          ->excludes(verb->get_option("--weights"))
          ->excludes(verb->get_option("--balance"))
          ->type_name("COLUMN");
  for (CLI::Option* option : of_readers) quality->excludes(option);
  verb->callback([arguments, &context, &body] {
    arguments->request.tail = arguments->tail == "pad"    ? Tail::kPad
                              : arguments->tail == "drop" ? Tail::kDrop
                                                          : Tail::kExact;
    body = [arguments, &context] { return DrawSample(*arguments, context); };
  });
}

}  // namespace ofindex
