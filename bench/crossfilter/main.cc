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
#include "bench/crossfilter/columns_on_the_fly.h"
#include "query/crossfilter/cross_filter.h"

namespace ofindex {
namespace {

constexpr uint64_t kCodeBytes = uint64_t{640} << 20;
constexpr uint64_t kEstimateRecords = 8'000'000;

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
