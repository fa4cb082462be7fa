// Measures the cost of an index of 100 million records: the time to open it, its size on disk, and its memory in many
// processes.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/pairs/child.h"
#include "bench/pairs/input/synthetic.h"
#include "bench/pairs/page_cache.h"
#include "bench/pairs/pair.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

constexpr size_t kProcesses = 8;
constexpr double kNsPerMs = 1e6;

const Result<SyntheticIndex>& TheIndex() {
  static const Result<SyntheticIndex> synthetic = HundredMillionRecords();
  return synthetic;
}

std::vector<std::string> FilesOf(const SyntheticIndex& synthetic) {
  return {synthetic.index, MapPathOf(synthetic.index), synthetic.shard};
}

// Takes the median over new processes, each of which gets a different record.
void FirstGet(benchmark::State& state, const BenchClaim& claim, bool cold) {
  const auto& synthetic = TheIndex();
  if (!synthetic) return Stop(state, synthetic.error());
  std::vector<double> times;
  for (auto _ : state) {
    if (cold) DropPages(FilesOf(*synthetic));
    const uint64_t ordinal = synthetic->real[times.size() * 7 % synthetic->real.size()];
    auto child = Child::Start({"get", synthetic->index, std::to_string(ordinal)});
    if (!child) return Stop(state, child.error());
    const auto ns = child->ReadNumber();
    if (!ns) return Stop(state, ns.error());
    state.SetIterationTime(*ns / 1e9);
    times.push_back(*ns);
  }
  Report(claim, Median(times) / kNsPerMs);
}

void WarmGet(benchmark::State& state) {
  FirstGet(state, AtMost("(e) 100 M records: open and first get, warm", 5, "ms"), false);
}

void ColdGet(benchmark::State& state) {
  FirstGet(state, {"(e) 100 M records: open and first get, cold", BenchClaim::Bound::kNone, 0, "ms"}, true);
}

void BytesOnDisk(benchmark::State& state) {
  const auto& synthetic = TheIndex();
  if (!synthetic) return Stop(state, synthetic.error());
  for (auto _ : state) {
    for (const std::string& path : {synthetic->index, MapPathOf(synthetic->index)}) {
      const auto facts = StatFile(path);
      if (!facts) return Stop(state, facts.error());
      const std::string suffix = path == synthetic->index ? "index" : "map";
      const double each = static_cast<double>(facts->size) / static_cast<double>(synthetic->records);
      Report(AtMost("(e) 100 M records: " + suffix + ", a record", 4, "bytes"), each);
    }
  }
}

struct Shares {
  double sum = 0;          // of the map's pages, over all processes
  double max_private = 0;  // maximum private memory of one process
};

Result<Shares> ReadInManyProcesses(const std::string& index) {
  std::vector<Child> children;
  for (size_t i = 0; i < kProcesses; ++i) {
    OFINDEX_ASSIGN(Child child, Child::Start({"share", index}));
    children.push_back(std::move(child));
  }
  Shares shares;
  for (Child& child : children) {
    OFINDEX_ASSIGN(const double own, child.ReadNumber());
    shares.max_private = std::max(shares.max_private, own);
  }
  // All processes have read all over the index, and none has ended.
  for (Child& child : children) {
    OFINDEX_TRY(child.Wake());
    OFINDEX_ASSIGN(const double share, child.ReadNumber());
    shares.sum += share;
  }
  return shares;
}

void Sharing(benchmark::State& state) {
  const auto& synthetic = TheIndex();
  if (!synthetic) return Stop(state, synthetic.error());
  for (auto _ : state) {
    const auto shares = ReadInManyProcesses(synthetic->index);
    if (!shares) return Stop(state, shares.error());
    const auto map = StatFile(MapPathOf(synthetic->index));
    if (!map) return Stop(state, map.error());
    Report(AtMost("(e) 100 M records: memory of 8 processes for the map / its size", 1.25),
           shares->sum / static_cast<double>(map->size));
    Report(AtMost("(e) 100 M records: private memory of a process", 8, "MiB"), shares->max_private / kMiB);
  }
}

BENCHMARK(WarmGet)->Name("open/100M/warm")->Iterations(21)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ColdGet)->Name("open/100M/cold")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BytesOnDisk)->Name("open/100M/bytes")->Iterations(1);
BENCHMARK(Sharing)->Name("open/100M/sharing")->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex
