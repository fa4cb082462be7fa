// Measures a drag over histograms: `ofindex_crossfilter_bench RECORDS` on six columns that are made on the fly.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "index/chunks/chunk.h"
#include "query/crossfilter/cross_filter.h"

namespace ofindex {
namespace {

constexpr uint32_t kRecordsInBlock = 65536;
constexpr uint64_t kDistinctChunks = 32;  // of each feature; blocks share them
constexpr uint64_t kFeatures = 6;
constexpr uint64_t kCodeBytes = uint64_t{640} << 20;
constexpr uint64_t kEstimateRecords = 8'000'000;

// Six features: a normally and an evenly distributed real, an ascending integer, small and large integers, and texts
// with a long tail. A third of one is missing.
ChunkRow SomeChunk(uint64_t feature, uint64_t step) {
  std::mt19937_64 random(feature << 32 | step);
  std::normal_distribution<double> normal(0, 1);
  ChunkBuilder builder;
  for (uint32_t r = 0; r < kRecordsInBlock; ++r) {
    const double even = static_cast<double>(random() >> 11) * 0x1p-53;
    switch (feature) {
      case 0: builder.AddFloat(r, static_cast<float>(normal(random))); break;
      case 1: builder.AddDouble(r, even); break;
      case 2: builder.AddInteger(r, static_cast<int64_t>(step * 1000 + r / 66), FeatureKind::kInt64); break;
      case 3: builder.AddInteger(r, static_cast<int64_t>(std::exp(even * 7)), FeatureKind::kInt64); break;
      case 4:
        if (random() % 3 != 0) builder.AddInteger(r, static_cast<int64_t>(random() % 1'000'000), FeatureKind::kInt64);
        break;
      default: builder.AddBytes(r, AsBytes(StrCat("class ", static_cast<int>(std::exp(even * 5))))); break;
    }
  }
  return builder.Encode(kRecordsInBlock);
}

/// The columns of an index that nobody could wait for.
class ColumnsOnTheFly final : public ColumnSource {
 public:
  explicit ColumnsOnTheFly(uint64_t records) : shards_(1) {
    shards_[0].path = "data";
    for (uint64_t first = 0; first < records; first += kRecordsInBlock) {
      blocks_.push_back({.shard = 0, .first_record = first, .records = kRecordsInBlock});
    }
    for (uint32_t f = 0; f < kFeatures; ++f) {
      FeatureRow row{.feature = f, .name = StrCat("feature", f)};
      row.sql_value = row.name;
      row.present = row.single = blocks_.size() * kRecordsInBlock;
      row.values_min = row.values_max = 1;
      row.kinds = BitOf(f < 1   ? FeatureKind::kFloat
                        : f < 2 ? FeatureKind::kDouble
                        : f < 5 ? FeatureKind::kInt64
                                : FeatureKind::kBytes);
      features_.push_back(std::move(row));
      for (uint64_t i = 0; i < kDistinctChunks; ++i) {
        rows_.push_back(SomeChunk(f, i));
        data_.push_back(std::exchange(rows_.back().data, {}));
      }
    }
  }

  const std::vector<ShardRow>& shards() const override { return shards_; }
  const std::vector<BlockMetadata>& blocks() const override { return blocks_; }
  const std::vector<FeatureRow>& features() const override { return features_; }

  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override {
    std::vector<std::optional<ChunkRow>> rows(blocks_.size());
    if (role != ColumnRole::kValue) return rows;
    for (uint64_t b = 0; b < blocks_.size(); ++b) {
      rows[b] = rows_[PlaceOf(feature, b)];
    }
    return rows;
  }

  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole /*role*/, uint64_t block) override {
    return data_[PlaceOf(feature, block)];
  }

  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t /*block*/) override {
    return std::vector<PackedOffsets::Extent>(kRecordsInBlock);
  }

 private:
  // Blocks have the chunks in ascending order, so that that of the ascending feature ascends over the dataset.
  [[nodiscard]] uint64_t PlaceOf(uint64_t feature, uint64_t block) const {
    return feature * kDistinctChunks + block * kDistinctChunks / blocks_.size();
  }

  std::vector<ShardRow> shards_;
  std::vector<BlockMetadata> blocks_;
  std::vector<FeatureRow> features_;
  std::vector<ChunkRow> rows_;  // of the distinct chunks, without data
  std::vector<std::vector<uint8_t>> data_;
};

template <typename T>
T Must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  return std::move(*result);
}

class Drag {
 public:
  explicit Drag(uint64_t records)
      : store_(std::make_shared<ColumnStore>(std::make_unique<ColumnsOnTheFly>(records),
                                             ColumnStoreOptions{.cache_bytes = uint64_t{256} << 20})) {
    const auto add = [&](uint32_t feature, Binning binning) {
      const Column column{.name = store_->features()[feature].name, .feature = feature};
      dimensions_.push_back(Must(Dimension::Of(store_, column, std::move(binning), memory_)));
    };
    add(0, Must(NumberBins::Of(-4, 4, 200)));
    add(1, Must(NumberBins::Of(0, 1, 200)));
    add(2, Must(NumberBins::Of(0, 32'000, 200)));
    add(3, Must(NumberBins::Of(0, 1100, 200)));
    add(4, Must(NumberBins::Of(0, 1'000'000, 200)));
    std::vector<ColumnValue> names;
    for (int i = 1; i <= 20; ++i) {
      names.push_back({.type = ColumnValue::Type::kText, .bytes = StrCat("class ", i)});
    }
    add(5, Must(Categories::Of(std::move(names))));
  }

  void Run() {
    std::printf("%zu records in %zu columns, %u threads\n", static_cast<size_t>(store_->records()), dimensions_.size(),
                store_->threads());
    CrossFilterQuestion first{.dimensions = dimensions_, .unfiltered = true, .max_records = kEstimateRecords};
    Show("first estimate, no codes yet", {Time(first)});
    first.max_records = UINT64_MAX;
    Show("first exact counts: makes all codes", {Time(first)});
    std::printf("%-40s %s\n", "memory of codes", FormatBytes(static_cast<double>(memory_->reserved())).c_str());
    RunDrag("drag over a column, no other filter", 0, {});
    RunDrag("the same, with three other filters", 0, {Brush(1, 40, 160), Brush(3, 1, 100), Brush(4, 20, 180)});
    RunDrag("a drag that ends inside of bins", 0, {}, 0.001);
    RunDrag("drag over an ascending column", 2, {Brush(1, 40, 160)});
  }

 private:
  struct Timed {
    double milliseconds;
    CrossFilterCounts counts;
  };

  // Returns the filter for bins [begin, end) of a dimension, or one that is greater by `more` at its end.
  [[nodiscard]] ColumnFilter Brush(size_t dimension, size_t begin, size_t end, double more = 0) const {
    const auto& bins = std::get<NumberBins>(dimensions_[dimension]->binning());
    const auto real = [](double value) { return ColumnValue{.type = ColumnValue::Type::kReal, .real = value}; };
    return {.column = dimensions_[dimension]->column(),
            .filter = {.low = {.value = real(bins.edge(begin))},
                       .high = {.value = real(bins.edge(end) + more), .open = true}}};
  }

  Timed Time(const CrossFilterQuestion& question) {
    const auto begin = std::chrono::steady_clock::now();
    CrossFilterCounts counts = Must(CrossFilter(*store_, question, progress_));
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    return {taken.count(), std::move(counts)};
  }

  // Moves a range of 60 bins over a dimension.
  void RunDrag(const char* name, size_t dimension, std::vector<ColumnFilter> filters, double more = 0) {
    std::vector<Timed> exact;
    std::vector<Timed> estimates;
    filters.push_back(Brush(dimension, 0, 60));
    double error = 0;
    for (size_t begin = 0; begin <= 140; begin += 7) {
      filters.back() = Brush(dimension, begin, begin + 60, more);
      exact.push_back(Time({.dimensions = dimensions_, .filters = filters}));
      estimates.push_back(Time({.dimensions = dimensions_, .filters = filters, .max_records = kEstimateRecords}));
      const auto truth = static_cast<double>(exact.back().counts.passing);
      const auto estimate = static_cast<double>(estimates.back().counts.passing);
      error = std::max(error, std::abs(estimate - truth) / std::max(truth, 1.0));
    }
    Show(name, exact);
    Show("  estimate", estimates);
    std::printf("%-40s %.3f %%\n", "  greatest error of the number passing", 100 * error);
  }

  static void Show(const char* name, std::vector<Timed> times) {
    std::sort(times.begin(), times.end(),
              [](const Timed& a, const Timed& b) { return a.milliseconds < b.milliseconds; });
    std::printf("%-40s %8.1f ms, at most %8.1f ms; %5.1f %% of records known\n", name,
                times[times.size() / 2].milliseconds, times.back().milliseconds, 100 * times.front().counts.share());
  }

  std::shared_ptr<ColumnStore> store_;
  std::shared_ptr<CodeMemory> memory_ = std::make_shared<CodeMemory>(kCodeBytes);
  std::vector<std::shared_ptr<const Dimension>> dimensions_;
  Progress progress_;
};

}  // namespace
}  // namespace ofindex

int main(int argc, char** argv) {
  const uint64_t records = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (records == 0) {
    std::fprintf(stderr, "usage: ofindex_crossfilter_bench RECORDS\n");
    return 2;
  }
  ofindex::Drag(records).Run();
  return 0;
}
