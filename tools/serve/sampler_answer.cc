// GET /api/sampler: the batches that a training run would read, and how well they are mixed.

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/sampling/mix_quality.h"
#include "query/sampling/open_sampler.h"
#include "tools/sampling/block_option.h"
#include "tools/sampling/mix_text.h"
#include "tools/serve/answerers.h"
#include "tools/serve/counting/filter_sql.h"
#include "tools/serve/counting/record_filter.h"
#include "tools/serve/requests/answers.h"
#include "tools/serve/requests/heavy_work.h"
#include "tools/serve/requests/parameters.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxBatch = 128;
constexpr uint64_t kMaxBatches = 32;
constexpr uint64_t kBatchOfQuality = 256;
constexpr uint64_t kPositionsOfQuality = 1'000'000;
constexpr uint64_t kMaxClassed = 8'000'000;  // four bytes each
constexpr ClassLimits kLimitsOfQuality{.classes = 1 << 16, .bytes = 16 << 20};

struct AskedBatches {
  SampleRequest order = {};
  std::string block = {};  // as --block takes it; empty: none
  std::string where = {};
  uint64_t batch = 0;
  uint64_t from = 0;
  uint64_t count = 0;
  std::string quality = {};  // a column; empty: none
};

Result<AskedBatches> BatchesIn(const Asked& asked, const Parameters& parameters, const Progress& progress) {
  AskedBatches batches{.quality = parameters.Text("quality")};
  OFINDEX_ASSIGN(batches.order.seed, parameters.Number("seed", 0, UINT64_MAX));
  OFINDEX_ASSIGN(batches.order.epoch, parameters.Number("epoch", 0, UINT64_MAX));
  OFINDEX_ASSIGN(batches.batch, parameters.Number("batch", 32, kMaxBatch));
  OFINDEX_ASSIGN(batches.from, parameters.Number("from", 0, UINT64_MAX / kMaxBatch));
  OFINDEX_ASSIGN(batches.count, parameters.Number("count", 1, kMaxBatches));
  batches.batch = std::max<uint64_t>(batches.batch, 1);
  batches.count = std::max<uint64_t>(batches.count, 1);
  if (parameters.Text("block") != "0") batches.block = parameters.Text("block");
  // The page has no use for notes on standard error.
  Context context;
  context.quiet = true;
  OFINDEX_ASSIGN(batches.order.block,
                 ParseBlock(batches.block, std::nullopt, asked.dataset.dataset().snapshot(), context));
  OFINDEX_ASSIGN(const RecordFilter filter, ParseRecordFilter(*asked.dataset.store(), parameters.Text("filter")));
  batches.where = SqlOf(filter);
  if (filter.accepts_all()) return batches;
  OFINDEX_ASSIGN(batches.order.view, asked.dataset.passing().Passing(filter, progress));
  return batches;
}

Json DrawBatches(Sampler& sampler, const AskedBatches& asked) {
  Json batches = Json::array();
  const uint64_t size = sampler.epoch_size();
  const uint64_t whole = size / asked.batch + (size % asked.batch == 0 ? 0 : 1);
  if (asked.from >= whole) return batches;
  sampler.SeekTo(asked.from * asked.batch);
  for (uint64_t b = asked.from; b < whole && b - asked.from < asked.count; ++b) {
    std::vector<uint64_t> ordinals(asked.batch);
    ordinals.resize(sampler.Next(ordinals));
    Json batch = Json::array();
    for (const uint64_t ordinal : ordinals) batch.push_back(JsonCount(ordinal));
    batches.push_back(std::move(batch));
  }
  return batches;
}

Result<Json> MeasureQuality(ColumnStore& store, const Sampler& sampler, const std::string& column,
                            const Progress& progress) {
  if (column.empty()) return Json(nullptr);
  if (sampler.view().size() > kMaxClassed) {
    return Fail(ErrorCode::kLimit,
                StrCat("parameter 'quality': ", FormatCount(sampler.view().size()), " records; expected at most ",
                       FormatCount(kMaxClassed)),
                "filter the records, or use `ofindex sample INDEX --quality NAME`, which measures any number");
  }
  OFINDEX_TRY(FindValueColumn(store, column));
  OFINDEX_ASSIGN(const ClassNumbers classes,
                 ClassesOf(store, sampler.view(), column, &progress.cancel, kLimitsOfQuality));
  OFINDEX_ASSIGN(const MixQuality quality, MeasureMix(sampler.method(), sampler.seed(), sampler.epoch(), classes,
                                                      kBatchOfQuality, kPositionsOfQuality, &progress.cancel));
  return JsonMix(quality);
}

// Returns the command that prints the same ordinals.
std::string CommandOf(const Asked& asked, const AskedBatches& batches) {
  std::string command = StrCat("ofindex sample ", ShellWord(asked.dataset.dataset().index_path()), " --seed ",
                               batches.order.seed, " --epoch ", batches.order.epoch);
  if (batches.from != 0) command += StrCat(" --position ", batches.from * batches.batch);
  if (!batches.block.empty()) command += StrCat(" --block ", ShellWord(batches.block));
  if (!batches.where.empty()) command += StrCat(" --where ", ShellWord(batches.where));
  return StrCat(command, " -n ", batches.count * batches.batch);
}

Result<Response> PreviewBatches(const Asked& asked, const Parameters& parameters, const Progress& progress) {
  OFINDEX_ASSIGN(const AskedBatches batches, BatchesIn(asked, parameters, progress));
  ColumnStore& store = *asked.dataset.store();
  OFINDEX_ASSIGN(Sampler sampler,
                 OpenSampler(asked.dataset.store(), asked.dataset.catalog().generations(), batches.order));
  OFINDEX_ASSIGN(Json quality, MeasureQuality(store, sampler, batches.quality, progress));
  const uint64_t size = sampler.epoch_size();
  return JsonAnswer({{"batches", DrawBatches(sampler, batches)},
                     {"epoch_batches", JsonCount(size / batches.batch + (size % batches.batch == 0 ? 0 : 1))},
                     {"epoch_records", JsonCount(size)},
                     {"quality", std::move(quality)},
                     {"command", JsonText(CommandOf(asked, batches))}});
}

}  // namespace

Result<Response> AnswerSampler(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {"filter", "seed", "epoch", "batch", "from",
                                                                             "count", "block", "quality"}));
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  return DoHeavyWork(asked.shared.counting, *question,
                     [&](const Progress& progress) { return PreviewBatches(asked, parameters, progress); });
}

}  // namespace ofindex
