// Measures the speed of building an index, compared with bare loops over the same files, and the memory that it takes.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "base/threads.h"
#include "bench/pairs/bare_walk.h"
#include "bench/pairs/child.h"
#include "bench/pairs/child_tasks.h"
#include "bench/pairs/data.h"
#include "bench/pairs/page_cache.h"
#include "bench/pairs/pair.h"

namespace ofindex {
namespace {

constexpr unsigned kChains = 32;
constexpr double kMiB = 1 << 20;

Claim AtLeast(std::string name, double asked) { return {std::move(name), Claim::Bound::kAtLeast, asked}; }

void WarmSmall(benchmark::State& state) {
  const auto data = SmallRecords();
  if (!data) return Stop(state, data.error());
  Measure(state, {.claim = AtLeast("(a) build, 350 B records, warm / bare read() and walk", 0.5),
                  .records = data->records,
                  .ours = [&] { return Rebuild(data->folder); },
                  .bare = [&] { return BareWalk(data->shards, ProcessorCount()); }});
}

void PeakMemory(benchmark::State& state) {
  const auto data = SmallRecords();
  if (!data) return Stop(state, data.error());
  for (auto _ : state) {
    auto child = Child::Start({"build", data->folder});
    if (!child) return Stop(state, child.error());
    const auto bytes = child->ReadNumber();
    if (!bytes) return Stop(state, bytes.error());
    Report({"(a) build, 350 B records, peak memory", Claim::Bound::kAtMost, 200, "MiB"}, *bytes / kMiB);
  }
}

// From the page cache, two threads on two processors are at least as fast as thirty-two, so both numbers are tried, and
// the bare loop uses the faster one.
Result<unsigned> FasterChains(const DataSet& data) {
  std::vector<double> few;
  std::vector<double> many;
  uint64_t records = 0;
  for (int i = 0; i < 5; ++i) {
    for (const unsigned chains : {ProcessorCount(), kChains}) {
      OFINDEX_ASSIGN(const double seconds, Time([&] { return BareHop(data.shards, chains); }, records));
      (chains == kChains ? many : few).push_back(seconds);
    }
  }
  return Median(few) <= Median(many) ? ProcessorCount() : kChains;
}

void WarmLarge(benchmark::State& state) {
  const auto data = LargeRecords();
  if (!data) return Stop(state, data.error());
  const auto chains = FasterChains(*data);
  if (!chains) return Stop(state, chains.error());
  Measure(state, {.claim = AtLeast(StrCat("(b) build, 110 KB records, warm / bare hop, ", *chains, " chains"), 0.6),
                  .records = data->records,
                  .ours = [&] { return Rebuild(data->folder); },
                  .bare = [&] { return BareHop(data->shards, *chains); }});
}

void ColdLarge(benchmark::State& state) {
  const auto data = LargeRecords();
  if (!data) return Stop(state, data.error());
  Measure(state, {.claim = AtLeast("(b) build, 110 KB records, cold / bare hop, 32 chains", 0.7),
                  .records = data->records,
                  .ours = [&] { return Rebuild(data->folder); },
                  .bare = [&] { return BareHop(data->shards, kChains); },
                  .before = [&] { DropPages(data->shards); }});
}

void ColdOneShard(benchmark::State& state) {
  const auto data = LargeInOneShard();
  if (!data) return Stop(state, data.error());
  Measure(state, {.claim = AtLeast("(b) build, 110 KB records in one shard, cold / bare hop, 1 chain", 2.5),
                  .records = data->records,
                  .ours = [&] { return Rebuild(data->folder); },
                  .bare = [&] { return BareHop(data->shards, 1); },
                  .before = [&] { DropPages(data->shards); }});
}

BENCHMARK(WarmSmall)->Name("build/350B/warm")->Iterations(15)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(PeakMemory)->Name("build/350B/memory")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(WarmLarge)->Name("build/110KB/warm")->Iterations(15)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ColdLarge)->Name("build/110KB/cold")->Iterations(7)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ColdOneShard)
    ->Name("build/110KB/one_shard/cold")
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ofindex
