#include "query/stats/stats.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "index/columns/distinct_sketch.h"
#include "query/columns/blocks_in_order.h"
#include "query/stats/picked_chunk.h"

namespace ofindex {
namespace {

bool HasIntegersAndReals(uint8_t kinds) { return (kinds & kIntegerKinds) != 0 && (kinds & kRealKinds) != 0; }

std::optional<Histogram> EmptyHistogram(const NumberRanges& numbers, size_t bins) {
  if (!numbers.has_reals()) {
    if (!numbers.has_integers()) return std::nullopt;
    return Histogram(numbers.min_integer, numbers.greatest_integer, bins);
  }
  double min = numbers.min_real;
  double max = numbers.greatest_real;
  if (numbers.has_integers()) {
    min = std::min(min, static_cast<double>(numbers.min_integer));
    max = std::max(max, static_cast<double>(numbers.greatest_integer));
  }
  return Histogram(min, max, bins);
}

template <typename Counts>
void AddNumbers(const Counts& integers, const std::vector<Count<double>>& reals, Histogram& histogram) {
  for (const auto& [value, count] : integers) histogram.Add(value, count);
  for (const auto& [value, count] : reals) histogram.Add(value, count);
}

// Returns the sketch of `column`, if the index keeps one.
std::optional<DistinctSketch> StoredSketch(const ColumnStore& store, const Column& column) {
  if (column.origin != Column::Origin::kFeature || !HoldsValues(column.role)) return std::nullopt;
  DistinctSketch sketch;
  if (!sketch.Load(store.features()[column.feature].sketch)) return std::nullopt;
  return sketch;
}

void SketchValues(const BlockCounts& block, DistinctSketch& sketch) {
  for (const auto& [value, count] : block.integers) sketch.AddInteger(value);
  for (const auto& [value, count] : block.reals) sketch.AddReal(value);
  block.ForEachString([&](ByteView text, uint64_t) { sketch.AddBytes(text); });
}

// Computes the statistics of one column: one pass over its chunks if it has few distinct values. Otherwise, a second
// pass counts the candidates for the most frequent values, and the passes of RankSearch find the quartiles.
class StatsPasses {
 public:
  StatsPasses(ColumnStore& store, const Column& column, const StatsOptions& options)
      : store_(store), column_(column), options_(options), mixed_(HasIntegersAndReals(store.kinds(column))) {}

  [[nodiscard]] Result<ColumnStats> Run() {
    OFINDEX_TRY(Summarise());
    if (counts_.exact()) {
      UseCounts();
    } else {
      OFINDEX_TRY(CountAgain());
      OFINDEX_TRY(SearchQuartiles());
    }
    OFINDEX_TRY(FindNullReasons());
    return Finish();
  }

 private:
  template <typename Make, typename Merge>
  [[nodiscard]] Result<void> OverChunks(Make make, Merge merge) {
    return OverChunksOf(column_, make, merge);
  }

  // Calls make(picked) for each block of `column` with records that count, on several threads, and merge() with the
  // results in order.
  template <typename Make, typename Merge>
  [[nodiscard]] Result<void> OverChunksOf(const Column& column, Make make, Merge merge) {
    using Made = decltype(make(PickedChunk()));
    return MergeInOrder(
        store_.threads(), store_.blocks().size(), options_.cancel,
        [&](uint64_t block) -> Result<std::optional<Made>> {
          OFINDEX_ASSIGN(std::optional<PickedChunk> picked, Load(column, block));
          if (!picked) return std::nullopt;
          return make(*std::move(picked));
        },
        [&](std::optional<Made> made) -> Result<void> { return made ? merge(*std::move(made)) : Result<void>(); });
  }

  // Returns the chunk of `column` in `block` and how often its records count; nothing if none does.
  [[nodiscard]] Result<std::optional<PickedChunk>> Load(const Column& column, uint64_t block) {
    PickedChunk picked;
    if (options_.among) {
      const BlockMetadata& head = store_.blocks()[block];
      picked.times = options_.among(head.first_record, head.first_record + head.records);
      if (picked.times.empty()) return std::nullopt;
    }
    OFINDEX_ASSIGN(picked.chunk, store_.Load(column, block));
    return picked;
  }

  [[nodiscard]] Result<void> Summarise() {
    using Made = std::pair<BlockCounts, ColumnSummary>;
    OFINDEX_TRY(OverChunks(
        [&](PickedChunk picked) -> Made {
          BlockCounts counts = CountValues(std::move(picked), mixed_);
          ColumnSummary summary(counts);
          return {std::move(counts), std::move(summary)};
        },
        [&](Made made) -> Result<void> {
          counts_.Add(made.first);
          summary_.Merge(made.second);
          return {};
        }));
    return WithMemory("statistics", [&]() -> Result<void> {
      counts_.Settle();
      return {};
    });
  }

  // The remaining statistics follow from the distinct values.
  void UseCounts() {
    stats_.distinct = counts_.size();
    if (auto histogram = EmptyHistogram(summary_.numbers, options_.bins)) {
      AddNumbers(counts_.integers(), counts_.reals(), *histogram);
      stats_.histogram = histogram->bins();
    }
    const uint64_t numbers = summary_.moments.count();
    if (numbers == 0) return;
    std::vector<Count<double>> sorted = counts_.reals();
    for (const auto& [value, count] : counts_.integers()) sorted.push_back({static_cast<double>(value), count});
    SortByKey(sorted);
    stats_.quartiles = QuartilesOf(numbers, NumbersAt(RanksOf(numbers), sorted));
  }

  [[nodiscard]] Result<void> CountAgain() {
    counts_.Zero();
    std::optional<Histogram> histogram = EmptyHistogram(summary_.numbers, options_.bins);
    std::optional<DistinctSketch> sketch;
    if (!options_.among) sketch = StoredSketch(store_, column_);
    const bool stored = sketch.has_value();
    if (!stored) sketch.emplace();
    OFINDEX_TRY(OverChunks([&](PickedChunk picked) { return CountValues(std::move(picked), mixed_); },
                           [&](const BlockCounts& block) -> Result<void> {
                             counts_.Recount(block);
                             if (histogram) AddNumbers(block.integers, block.reals, *histogram);
                             if (!stored) SketchValues(block, *sketch);
                             return {};
                           }));
    if (histogram) stats_.histogram = histogram->bins();
    const uint64_t values = summary_.moments.count() + summary_.strings;
    stats_.distinct = std::clamp<uint64_t>(sketch->Estimate(), counts_.min_distinct(), values);
    stats_.distinct_is_exact = false;
    return {};
  }

  [[nodiscard]] Result<void> SearchQuartiles() {
    const uint64_t numbers = summary_.moments.count();
    if (numbers == 0) return {};
    RankSearch search(RanksOf(numbers));
    for (int pass = 0; pass < RankSearch::kPasses; ++pass) {
      RankSearch::Tally sum;
      OFINDEX_TRY(OverChunks([&](const PickedChunk& picked) { return search.Count(picked); },
                             [&](const RankSearch::Tally& tally) -> Result<void> {
                               sum.resize(tally.size());
                               for (size_t i = 0; i < tally.size(); ++i) sum[i] += tally[i];
                               return {};
                             }));
      search.Narrow(sum);
    }
    stats_.quartiles = QuartilesOf(numbers, search.numbers());
    return {};
  }

  [[nodiscard]] Result<void> FindNullReasons() {
    if (!HasNullReasons(column_)) return {};
    NullReasons& sum = stats_.null_reasons.emplace();
    if (summary_.nulls == 0) return {};  // usual, and then the counts need not be read
    Column counts = column_;
    counts.role = ColumnRole::kCount;
    return OverChunksOf(
        counts, [](const PickedChunk& picked) { return ReasonsIn(picked); },
        [&](const NullReasons& reasons) -> Result<void> {
          sum.absent += reasons.absent;
          sum.empty += reasons.empty;
          sum.several += reasons.several;
          return {};
        });
  }

  [[nodiscard]] ColumnStats Finish() {
    stats_.column = column_.name;
    stats_.type = TypeOf(store_, column_);
    stats_.rows = summary_.rows;
    stats_.numbers = summary_.moments.count();
    stats_.count = stats_.numbers + summary_.strings;
    stats_.nulls = summary_.nulls + (column_.is_list() ? 0 : summary_.nans);
    stats_.nans = summary_.nans;
    stats_.min = std::move(summary_.extremes.min);
    stats_.max = std::move(summary_.extremes.max);
    stats_.mean = summary_.moments.mean();
    stats_.deviation = summary_.moments.deviation();
    stats_.top = counts_.Top(options_.top);
    stats_.lengths = summary_.lengths;
    stats_.lists = summary_.lists;
    return std::move(stats_);
  }

  ColumnStore& store_;
  const Column& column_;
  const StatsOptions& options_;
  bool mixed_;
  ColumnSummary summary_;
  ValueCounts counts_;
  ColumnStats stats_;
};

}  // namespace

Result<ColumnStats> StatsOf(ColumnStore& store, const Column& column, const StatsOptions& options) {
  return WithMemory("statistics", [&] { return StatsPasses(store, column, options).Run(); });
}

std::string TypeOf(const ColumnStore& store, const Column& column) {
  if (column.origin == Column::Origin::kShard) return "TEXT";
  if (column.origin != Column::Origin::kFeature) return "INTEGER";
  if (!HoldsValues(column.role)) return std::string(TypeOfFacts(column.role));
  return store.features()[column.feature].type;
}

}  // namespace ofindex
