#include "tools/serve/counting/chart_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/columns/distinct_sketch.h"
#include "query/audit/shared_work.h"
#include "query/columns/value_order.h"
#include "query/crossfilter/frequent_values.h"
#include "tools/serve/counting/nice_bins.h"

namespace ofindex {
namespace {

using Origin = Column::Origin;

constexpr size_t kBinsOfHistogram = 60;
constexpr uint64_t kRecordsForBars = 2'000'000;
constexpr uint64_t kManyDistinct = 100;

bool HasBytes(uint8_t kinds) { return (kinds & kBytesKind) != 0; }
bool HasNumbers(uint8_t kinds) { return (kinds & (kIntegerKinds | kRealKinds)) != 0; }

// Returns an estimate of the number of distinct values of a column that holds those of its feature.
std::optional<uint64_t> DistinctValues(const ColumnStore& store, const Column& column) {
  DistinctSketch sketch;
  if (column.origin != Origin::kFeature || column.role != ColumnRole::kValue) return std::nullopt;
  if (!sketch.Load(store.features()[column.feature].sketch)) return std::nullopt;
  return sketch.Estimate();
}

// The bounds of the finite numbers of a column.
struct NumberBounds {
  double min = HUGE_VAL;
  double max = -HUGE_VAL;

  void Add(const Chunk::Value& value) {
    if (!IsNumber(value.type)) return;
    const double number = value.type == ColumnValue::Type::kInteger ? static_cast<double>(value.integer) : value.real;
    if (!std::isfinite(number)) return;
    min = std::min(min, number);
    max = std::max(max, number);
  }

  void Add(const NumberBounds& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};

bool IsFinite(const ColumnValue& value) {
  return value.type == ColumnValue::Type::kInteger ||
         (value.type == ColumnValue::Type::kReal && std::isfinite(value.real));
}

// Returns the bounds from zone maps; nullopt if they do not have them.
Result<std::optional<NumberBounds>> BoundsOfZones(ColumnStore& store, const Column& column) {
  OFINDEX_ASSIGN(const std::shared_ptr<const ColumnStore::Zones> zones, store.ZonesOf(column));
  NumberBounds bounds;
  for (const Zone& zone : *zones) {
    if (zone.min_nulls == zone.records) continue;
    if (!IsFinite(zone.min) || !IsFinite(zone.max)) return std::optional<NumberBounds>();
    bounds.Add(ViewOf(zone.min));
    bounds.Add(ViewOf(zone.max));
  }
  return std::optional(bounds);
}

// Finds the bounds of the blocks that one thread takes.
class BoundsWorker {
 public:
  BoundsWorker(ColumnStore& store, const Column& column, NumberBounds& all)
      : store_(&store), column_(&column), all_(&all) {}

  [[nodiscard]] Result<void> Do(size_t block) {
    OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store_->Load(*column_, block));
    for (uint32_t r = 0; r < chunk->records(); ++r) own_.Add(chunk->At(r));
    return {};
  }

  [[nodiscard]] Result<void> Finish() {
    all_->Add(own_);
    return {};
  }

 private:
  ColumnStore* store_;
  const Column* column_;
  NumberBounds* all_;
  NumberBounds own_;
};

Result<NumberBounds> BoundsOf(ColumnStore& store, const Column& column, const Progress& progress) {
  if (column.origin == Origin::kOffset) {
    NumberBounds bounds{0, 0};
    for (const ShardRow& shard : store.shards()) {
      bounds.max = std::max(bounds.max, static_cast<double>(shard.readable_bytes()));
    }
    return bounds;
  }
  OFINDEX_ASSIGN(const std::optional<NumberBounds> known, BoundsOfZones(store, column));
  if (known) return *known;
  NumberBounds bounds;
  OFINDEX_TRY(ShareWork(store.blocks().size(), store.threads(), progress, "the bounds of a column",
                        [&] { return BoundsWorker(store, column, bounds); }));
  if (progress.cancel) return Interrupted();
  return bounds;
}

Result<Binning> HistogramOf(ColumnStore& store, const Column& column, const Progress& progress) {
  OFINDEX_ASSIGN(NumberBounds bounds, BoundsOf(store, column, progress));
  if (!(bounds.min <= bounds.max)) bounds = {0, 0};  // there are no numbers
  const bool whole = (store.kinds(column) & kRealKinds) == 0;
  return NumberBins::Between(NiceEdges(bounds.min, bounds.max, kBinsOfHistogram, whole)).map([](NumberBins bins) {
    return Binning(std::move(bins));
  });
}

Result<Binning> BarsOf(ColumnStore& store, const Column& column, const Progress& progress) {
  OFINDEX_ASSIGN(const std::vector<ValueCount> frequent,
                 FrequentValues(store, column, kMaxBars, progress, kRecordsForBars));
  std::vector<ColumnValue> values;
  for (const ValueCount& one : frequent) values.push_back(one.value);
  // Numbers are read in their order, other values by their frequency.
  if (!HasBytes(store.kinds(column))) {
    std::sort(values.begin(), values.end(),
              [](const ColumnValue& a, const ColumnValue& b) { return CompareValues(a, b) < 0; });
  }
  // A column that has only NULL is drawn, too.
  if (values.empty()) values.push_back({.type = ColumnValue::Type::kText});
  return Categories::Of(std::move(values)).map([](Categories bars) { return Binning(std::move(bars)); });
}

}  // namespace

ChartKind ChartKindOf(const ColumnStore& store, const Column& column) {
  if (column.is_list() || column.is_hidden()) return ChartKind::kNone;
  if (column.origin == Origin::kShard) return ChartKind::kBars;
  if (column.origin != Origin::kFeature) return ChartKind::kHistogram;
  if (column.role == ColumnRole::kHash) return ChartKind::kNone;
  if (column.role == ColumnRole::kFormat) return ChartKind::kBars;
  if (column.role != ColumnRole::kValue) return ChartKind::kHistogram;
  const uint8_t kinds = store.kinds(column);
  const std::optional<uint64_t> distinct = DistinctValues(store, column);
  if (!HasBytes(kinds)) {
    if (!HasNumbers(kinds)) return ChartKind::kNone;
    return distinct && *distinct <= kMaxBars ? ChartKind::kBars : ChartKind::kHistogram;
  }
  const bool all_differ =
      distinct && *distinct > kManyDistinct && *distinct > store.features()[column.feature].single / 2;
  return all_differ ? ChartKind::kNone : ChartKind::kBars;
}

Result<Binning> BinningOf(ColumnStore& store, const Column& column, const Progress& progress) {
  switch (ChartKindOf(store, column)) {
    case ChartKind::kHistogram: return HistogramOf(store, column, progress);
    case ChartKind::kBars: return BarsOf(store, column, progress);
    case ChartKind::kNone: break;
  }
  return Fail(ErrorCode::kUsage,
              StrCat("column '", Printable(column.name), "' has no chart; expected one of numbers or of few values"),
              "'api/dataset' lists the columns and their charts");
}

}  // namespace ofindex
