// Measures the cost of the next ordinal of an epoch: time per ordinal, time to start, and memory.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.h"
#include "bench/pairs/claims.h"
#include "bench/pairs/input/data.h"
#include "bench/pairs/input/synthetic.h"
#include "bench/pairs/pair.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"
#include "query/sampling/sampler.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {
namespace {

constexpr uint64_t kSampledRecords = 100'000'000;
constexpr double kNsPerSecond = 1e9;

Sampler SamplerOf(View view, SamplingMethod method) { return *Sampler::Of({}, std::move(view), std::move(method), 1); }

uint64_t HeapBytes() { return ::mallinfo2().uordblks; }

// Returns the nanoseconds per item of `count`, the median over the iterations.
template <typename Body>
void PerItem(benchmark::State& state, const BenchClaim& claim, uint64_t count, Body body) {
  std::vector<double> times;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    times.push_back(seconds * kNsPerSecond / static_cast<double>(count));
  }
  Report(claim, Median(times));
}

void Batched(benchmark::State& state, const BenchClaim& claim, const View& view, const SamplingMethod& method) {
  constexpr uint64_t kCount = 2'000'000;
  Sampler sampler = SamplerOf(view, method);
  std::vector<uint64_t> batch(256);
  PerItem(state, claim, kCount, [&] {
    sampler.SeekTo(0);
    for (uint64_t i = 0; i < kCount; i += batch.size()) benchmark::DoNotOptimize(sampler.Next(batch));
  });
}

void Single(benchmark::State& state) {
  constexpr uint64_t kCount = 2'000'000;
  const Permutation order(kSampledRecords, SampleKey(1, 0, SampleUse::kShuffle));
  PerItem(state, AtMost("sampling: a position of 10^8, one by one", 60, "ns"), kCount, [&] {
    // Each position depends on the previous element, because single requests do not overlap.
    uint64_t element = 0;
    for (uint64_t i = 0; i < kCount; ++i) element = order.At(i + (element & 1));
    benchmark::DoNotOptimize(element);
  });
}

void Creating(benchmark::State& state) {
  constexpr uint64_t kBillion = 1'000'000'000;
  uint64_t bytes = 0;
  PerItem(state, AtMost("sampling: creating a sampler of 10^9 records", 1e6, "ns"), 1, [&] {
    const uint64_t before = HeapBytes();
    const Sampler sampler = SamplerOf(View::Range(0, kBillion), GlobalShuffle{});
    // Freed memory is reused without growing the heap, so the first sampler shows the size.
    bytes = std::max(bytes, HeapBytes() - before + sizeof sampler);
    benchmark::DoNotOptimize(&sampler);
  });
  Report(AtMost("sampling: memory of a sampler of 10^9 records", 4096, "bytes"), static_cast<double>(bytes));
}

OrdinalSet OneInTen() {
  OrdinalSet::Builder builder;
  for (uint64_t i = 0; i < kSampledRecords; ++i) {
    if (Mix64(i) % 10 == 0) builder.Add(i);
  }
  return builder.Take();
}

void Selected(benchmark::State& state) {
  const View view = View::Of(OneInTen());
  for (auto _ : state) {
    const OrdinalSet set = OneInTen();
    Report(AtMost("sampling: a selection of 10 % of 10^8", 16, "MB"), static_cast<double>(set.memory()) / 1e6);
    state.SetIterationTime(1);
  }
}

void InSelection(benchmark::State& state) {
  Batched(state, {"sampling: a position in a selection of 10 % of 10^8, batched", BenchClaim::Bound::kNone, 0, "ns"},
          View::Of(OneInTen()), GlobalShuffle{});
}

// Measures the command's output in lines per second, to a pipe that discards them.
void Command(benchmark::State& state) {
  constexpr double kLines = 10'000'000;
  const auto synthetic = HundredMillionRecords();
  if (!synthetic) return Stop(state, synthetic.error());
  const std::string tool = OFINDEX_COMMAND;
  if (!std::filesystem::exists(tool)) return Stop(state, {ErrorCode::kNotFound, tool + ": not built", ""});
  const std::string command = StrCat("'", tool, "' sample '", synthetic->index, "' -n 10000000 | cat > /dev/null");
  std::vector<double> rates;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) return Stop(state, {ErrorCode::kIo, "ofindex sample failed", ""});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    rates.push_back(kLines / seconds / 1e6);
  }
  Report({"sampling: ofindex sample -n 10000000 to a pipe", BenchClaim::Bound::kAtLeast, 5, "M lines/s"},
         Median(rates));
}

void Register(const char* name, void (*body)(benchmark::State&), int turns) {
  benchmark::RegisterBenchmark(name, body)->UseManualTime()->Iterations(turns)->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  const View all = View::Range(0, kSampledRecords);
  benchmark::RegisterBenchmark("sampling/batched",
                               [all](benchmark::State& state) {
                                 Batched(state, AtMost("sampling: a position of 10^8, batched", 25, "ns"), all,
                                         GlobalShuffle{});
                               })
      ->UseManualTime()
      ->Iterations(9)
      ->Unit(benchmark::kMillisecond);
  Register("sampling/single", Single, 9);
  benchmark::RegisterBenchmark(
      "sampling/blocks",
      [all](benchmark::State& state) {
        Batched(state, {"sampling: a position in blocks of 64, batched", BenchClaim::Bound::kNone, 0, "ns"}, all,
                BlockShape{.run = 64});
      })
      ->UseManualTime()
      ->Iterations(9)
      ->Unit(benchmark::kMillisecond);
  Register("sampling/create", Creating, 101);
  Register("sampling/selection", Selected, 1);
  Register("sampling/in_selection", InSelection, 5);
  Register("sampling/command", Command, 5);
  return true;
}();

}  // namespace
}  // namespace ofindex
