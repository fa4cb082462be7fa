// Measures what an update costs: against a full build when one shard in a hundred is new, and in memory.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "bench/pairs/child.h"
#include "bench/pairs/child_tasks.h"
#include "bench/pairs/input/example_data.h"
#include "bench/pairs/input/synthetic.h"
#include "bench/pairs/pair.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kShards = 1000;
constexpr uint64_t kNewShards = kShards / 100;
constexpr double kShareOfBuild = 0.02;

// Links to the shards of a dataset, in a folder of its own: all but the new ones, until they are added.
class GrowingFolder {
 public:
  explicit GrowingFolder(const DataSet& data) : folder_(MemoryFolder() + "/growing") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const std::string& shard : data.shards) shards_.emplace_back(shard);
    for (size_t i = 0; i < shards_.size() - kNewShards; ++i) Link(i);
  }
  ~GrowingFolder() { fs::remove_all(folder_); }
  GrowingFolder(const GrowingFolder&) = delete;
  GrowingFolder& operator=(const GrowingFolder&) = delete;

  void AddNewShards() {
    for (size_t i = shards_.size() - kNewShards; i < shards_.size(); ++i) Link(i);
  }

  [[nodiscard]] const std::string& path() const { return folder_; }
  [[nodiscard]] std::string index() const { return folder_ + ".ofidx"; }

 private:
  void Link(size_t i) { fs::create_symlink(shards_[i], fs::path(folder_) / shards_[i].filename()); }

  std::string folder_;
  std::vector<fs::path> shards_;
};

void UpdateOneInAHundred(benchmark::State& state, const std::string& columns) {
  const auto data = ImageRecords(kShards);
  if (!data) return Stop(state, data.error());
  std::vector<double> beyond;
  std::vector<double> shares;
  for (auto _ : state) {
    GrowingFolder folder(*data);
    uint64_t records = 0;
    const auto before = Rebuild(folder.path(), columns);
    if (!before) return Stop(state, before.error());
    folder.AddNewShards();
    const auto update = Time([&] { return Update(folder.index(), {}); }, records);
    if (!update) return Stop(state, update.error());
    const auto build = Time([&] { return Rebuild(folder.path(), columns); }, records);
    if (!build) return Stop(state, build.error());
    state.SetIterationTime(*update);
    beyond.push_back((*update - kShareOfBuild * *build) * 1e3);
    shares.push_back(*update / *build);
  }
  const std::string of = StrCat("(f) 1 % new shards of 1,000, ", columns == "none" ? "no columns" : "four columns");
  Report({of + ": update beyond 2 % of a build", BenchClaim::Bound::kAtMost, 200, "ms"}, Median(beyond));
  Report({of + ": update, of a build", BenchClaim::Bound::kNone, 0, {}}, Median(shares));
}

void UpdateWithoutColumns(benchmark::State& state) { UpdateOneInAHundred(state, "none"); }
void UpdateFourColumns(benchmark::State& state) { UpdateOneInAHundred(state, kFourColumns); }

void UpdateHundredMillion(benchmark::State& state) {
  const auto synthetic = HundredMillionRecords();
  if (!synthetic) return Stop(state, synthetic.error());
  const auto data = ImageRecords(kShards);
  if (!data) return Stop(state, data.error());
  std::vector<double> rates;
  double peak = 0;
  size_t next = 0;
  for (auto _ : state) {
    auto child = Child::Start({"update", synthetic->index, synthetic->shard, data->shards[next++]});
    if (!child) return Stop(state, child.error());
    const auto ns = child->ReadNumber();
    const auto bytes = child->ReadNumber();
    if (!ns || !bytes) return Stop(state, ns ? bytes.error() : ns.error());
    state.SetIterationTime(*ns / 1e9);
    rates.push_back(static_cast<double>(synthetic->records) * 1e9 / *ns / kMillion);
    peak = std::max(peak, *bytes);
  }
  Report({"(f) 100 M records: update by one small shard", BenchClaim::Bound::kNone, 0, "M records/s"}, Median(rates));
  Report({"(f) 100 M records: peak memory of the update", BenchClaim::Bound::kAtMost, 300, "MiB"}, peak / kMiB);
}

BENCHMARK(UpdateWithoutColumns)->Name("update/none")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(UpdateFourColumns)->Name("update/four")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(UpdateHundredMillion)->Name("update/100M")->Iterations(3)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex
