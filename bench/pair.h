#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "bench/claims.h"

namespace ofindex {

/// Work to be timed. Returns a sum over what it found, which two ways to the same answer share.
using Work = std::function<Result<uint64_t>()>;

/// Our work, and a bare loop that finds the same.
struct Pair {
  Claim claim;  ///< on the speed of ours, that of the bare loop being 1
  uint64_t records = 0;
  Work ours;
  Work bare;
  std::function<void()> before = [] {};  ///< goes before each of the two, untimed
};

/// Times both by turns, one turn an iteration, and reports the median over the turns of the ratio of the two: whatever
/// else the machine does meanwhile slows both. The time that Google Benchmark shows is ours; use UseManualTime().
void Measure(benchmark::State& state, const Pair& pair);

/// Ends a benchmark that cannot go on.
void Stop(benchmark::State& state, const Error& error);

/// Seconds that `work` takes; what it returns goes to `sum`.
[[nodiscard]] Result<double> Time(const Work& work, uint64_t& sum);

/// The middle of `values`, which are not empty.
[[nodiscard]] double Median(std::vector<double> values);

}  // namespace ofindex
