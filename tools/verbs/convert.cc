#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/shards/output_rule.h"
#include "index/shards/root_paths.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "query/ordinals.h"
#include "query/sampling/open_sampler.h"
#include "query/sampling/sets/set_of.h"
#include "tools/options/attachments.h"
#include "tools/options/output_options.h"
#include "tools/options/reading_options.h"
#include "tools/options/selecting.h"
#include "tools/ordinals/listed_records.h"
#include "tools/ordinals/ordinal_list.h"
#include "tools/ordinals/ordinal_source.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/progress_display.h"
#include "tools/shell/source_index.h"
#include "tools/streams/converter.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct ConvertArguments {
  std::vector<std::string> data;
  ShardSetRequest output;
  Expression where;
  std::string ids;
  std::optional<uint64_t> shuffle;
  Lossy lossy = Lossy::kRefuse;
  ReaderOptions reading;
};

/// The facts about the data that the index stores, except the records.
struct SourceFacts {
  std::vector<ShardRow> shards;
  std::vector<DamageRow> damage;
  std::vector<BadRow> bad;
  std::vector<std::string> sources;
  bool verified = false;  // every payload was compared with its checksum when the index was built
};

Result<SourceFacts> ReadFacts(const Snapshot& snapshot) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  SourceFacts facts;
  facts.shards = catalog->shards();
  OFINDEX_ASSIGN(facts.damage, catalog->Damage());
  OFINDEX_ASSIGN(facts.bad, catalog->Bad());
  facts.sources = catalog->facts().sources;
  facts.verified = catalog->facts().checked == Checked::kPayloads;
  return facts;
}

/// The records to convert, in order, and their number. `all_in_order` is true for all records, shard by shard.
struct Selected {
  NextOrdinal next;
  uint64_t records = 0;
  bool all_in_order = false;
};

// Returns the records of each shard, in natural order of paths: not ordinal order, if an update has found shards new or
// grown.
Result<std::vector<OrdinalRange>> RangesByShard(const Snapshot& snapshot) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces,
                 catalog->With([](CatalogReader& reader) { return reader.Pieces(); }));
  const ShardFiles files(pieces);
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return files.numbers[a] < files.numbers[b]; });
  std::vector<OrdinalRange> ranges;
  for (const size_t piece : order) {
    const ShardRow& row = pieces[piece];
    if (!row.is_gone()) ranges.push_back({row.first_record, row.first_record + row.records});
  }
  return ranges;
}

NextOrdinal EachIn(std::vector<OrdinalRange> ranges) {
  return [ranges = std::move(ranges), at = size_t{0}](uint64_t& ordinal) mutable -> Result<bool> {
    while (at < ranges.size() && ranges[at].begin == ranges[at].end) ++at;
    if (at == ranges.size()) return false;
    ordinal = ranges[at].begin++;
    return true;
  };
}

// The records of a list, in its order.
Result<Selected> SelectListed(const std::string& path, const Dataset& dataset, const Context& context) {
  OFINDEX_ASSIGN(std::vector<uint64_t> ordinals, ReadOrdinals(path, dataset.size(), context.progress.cancel,
                                                              "divide the list, and convert each part of it"));
  const uint64_t records = ordinals.size();
  return Selected{OrdinalsOf(std::move(ordinals)), records, false};
}

Result<Selected> Select(const ConvertArguments& arguments, const Dataset& dataset, const Context& context) {
  if (!arguments.ids.empty()) return SelectListed(arguments.ids, dataset, context);
  if (!arguments.where.given() && !arguments.shuffle) {
    OFINDEX_ASSIGN(std::vector<OrdinalRange> ranges, RangesByShard(*dataset.snapshot()));
    return Selected{EachIn(std::move(ranges)), dataset.reader().live(), true};
  }
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset.snapshot()->Catalog());
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, dataset.snapshot()->Columns());
  SampleRequest request;
  if (arguments.where.given()) {
    OFINDEX_ASSIGN(const Selection selection, SelectRecords(*dataset.snapshot(), arguments.where, context));
    request.view = View::Of(SetOf(selection));
  }
  request.seed = arguments.shuffle.value_or(0);
  SqlLimits limits;
  limits.cancel = &context.progress.cancel;
  OFINDEX_ASSIGN(Sampler sampler, OpenSampler(store, catalog->generations(), request, limits));
  dataset.snapshot()->CloseColumns();  // their chunks are not needed any more
  const uint64_t records = sampler.view().size();
  if (!arguments.shuffle) return Selected{OrdinalsOf(sampler.view()), records, false};
  return Selected{OrdinalsFrom(std::move(sampler)), records, false};
}

// Returns `shards` with the paths of their copies below `root`.
std::vector<ShardRow> AtRoot(const std::string& root, std::vector<ShardRow> shards) {
  if (root.empty() || shards.empty()) return shards;
  const ShardPaths copies = PathsBelow(root, shards);
  for (ShardRow& shard : shards) shard.path = copies.PathOf(shard.path);
  return shards;
}

std::vector<uint64_t> RecordsPerShard(const Selected& selected, const SourceFacts& facts, size_t shards,
                                      bool as_in_input) {
  if (!as_in_input) return EvenShares(selected.records, shards);
  std::vector<uint64_t> records;
  for (const ShardRow& shard : facts.shards) records.push_back(shard.records);
  return records;
}

Result<void> Report(const ShardSetWriter& writer, const SourceFacts& facts, double seconds, const Context& context) {
  if (context.json) {
    Json document = ToJson("ofindex.convert/1", writer, seconds);
    document["bad"] = JsonBad(facts.bad, facts.shards);
    document["damage"] = JsonDamage(facts.damage, facts.shards);
    return Output::Standard().Line(Dump(document));
  }
  if (context.quiet) return {};
  return Output::Standard().Line(Summary(writer));
}

int ReportDamage(const SourceFacts& facts, const Context& context) {
  if (facts.damage.empty()) return 0;
  std::vector<std::string> texts;
  for (const DamageRow& damage : facts.damage) texts.push_back(Describe(damage, facts.shards));
  PrintError({ErrorCode::kDamage, texts.front(), "every intact record was converted"}, context);
  PrintMoreErrors(std::vector<std::string>(texts.begin() + 1, texts.end()), context);
  return ExitCode(ErrorCode::kDamage);
}

Result<int> Convert(ConvertArguments& arguments, Context& context) {
  const auto start = std::chrono::steady_clock::now();
  OFINDEX_ASSIGN(const SourceIndex source, SourceIndex::Of(arguments.data, arguments.where.given(), context));
  PrintNotes(source.notes(), context);
  OFINDEX_ASSIGN(const Dataset dataset,
                 Dataset::Open(source.path(), arguments.reading, context.progress, OpeningOptions(context)));
  OFINDEX_ASSIGN(SourceFacts facts, ReadFacts(*dataset.snapshot()));
  InputFiles inputs(source.path(), facts.shards, facts.sources, arguments.reading.root);
  for (const std::string& data : arguments.data) inputs.Add(data);
  inputs.Add(arguments.ids);
  const std::vector<ShardRow> copies = AtRoot(arguments.reading.root, facts.shards);
  for (ShardRow& shard : facts.shards) shard.path = source.Shown(shard.path);
  OFINDEX_ASSIGN(const Selected selected, Select(arguments, dataset, context));

  arguments.output.default_shards = facts.shards.size();
  OFINDEX_TRY(CheckOutside(arguments.output.out, ShapeOf(arguments.output), inputs));
  arguments.output.inputs = inputs;
  OFINDEX_ASSIGN(ShardSetPlan plan, PlanShardSet(arguments.output));
  const bool as_in_input =
      selected.all_in_order && !arguments.output.shards && plan.paths.size() == facts.shards.size();
  std::vector<uint64_t> sizes = RecordsPerShard(selected, facts, plan.paths.size(), as_in_input);
  OFINDEX_ASSIGN(ShardSetWriter writer, ShardSetWriter::Begin(std::move(plan), std::move(sizes)));
  OFINDEX_ASSIGN(Converter converter, Converter::Create(dataset, arguments.reading.root.empty() ? facts.shards : copies,
                                                        arguments.output.framing, arguments.lossy, writer, context));

  if (!facts.verified) converter.CheckPayloads();
  context.progress.bytes_total = dataset.reader().map().header().payload_bytes;
  std::optional<ProgressDisplay> display(std::in_place, "convert", context);
  OFINDEX_ASSIGN(const int exit_code, converter.Run(selected.next));
  OFINDEX_TRY(writer.Publish());
  display.reset();
  facts.bad.insert(facts.bad.end(), converter.bad().begin(), converter.bad().end());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  OFINDEX_TRY(Report(writer, facts, seconds, context));
  OFINDEX_TRY(Output::Standard().Flush());
  return std::max(exit_code, ReportDamage(facts, context));
}

}  // namespace

void AddConvert(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "convert",
                      "Write records in the other format, framing and payload: OFRecord as TFRecords of Examples, "
                      "TFRecords as OFRecord",
                      Formats::kJson);
  auto arguments = std::make_shared<ConvertArguments>();
  verb.AddArgument("DATA", arguments->data,
                   "An index, or files, folders, globs and lists as for build; data without an index are indexed first")
      .Required();
  AddOutputOptions(verb, arguments->output, "as in DATA, each with the same records");
  AddWhere(verb, arguments->where, "Only records for which this SQL expression holds");
  verb.AddNumber("--shuffle", arguments->shuffle, "SEED",
                 "In the order of `ofindex sample --seed SEED`; default: in ordinal order");
  AddIds(verb, arguments->ids, "Only records of this list of ordinals, in its order")
      .Excludes({"--where", "--shuffle"});
  verb.AddChoice(
      "--lossy", arguments->lossy, {{"refuse", Lossy::kRefuse}, {"allow", Lossy::kAllow}}, "HOW",
      "How to treat kinds that an Example lacks: refuse, or allow int32 to become int64 and double to become "
      "float; default refuse");
  AddReadingOptions(verb, arguments->reading);
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return Convert(*arguments, context); });
}

}  // namespace ofindex
