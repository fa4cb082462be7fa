#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "bench/pairs/claims.h"

namespace ofindex {

/// Work to be timed. Returns a sum over its result, which must be equal for both sides of a comparison.
using Work = std::function<Result<uint64_t>()>;

/// Our work, and a bare loop with the same result.
struct Pair {
  BenchClaim claim;  ///< on the speed of ours relative to the bare loop
  uint64_t records = 0;
  Work ours;
  Work bare;
  std::function<void()> before = [] {};  ///< runs before each of the two, untimed
};

/// Times both sides, one after the other, in each iteration, and reports the median of the iterations' ratios: other
/// load on the machine slows both sides, and changes their ratio little. Google Benchmark shows the time of our side;
/// use UseManualTime().
void Measure(benchmark::State& state, const Pair& pair);

/// Ends a benchmark that cannot continue.
void Stop(benchmark::State& state, const Error& error);

/// Returns true if a benchmark was stopped.
[[nodiscard]] bool WasStopped();

/// Returns the seconds that `work` takes, and stores its result in `sum`.
[[nodiscard]] Result<double> Time(const Work& work, uint64_t& sum);

/// Returns the median of `values`, which must not be empty.
[[nodiscard]] double Median(std::vector<double> values);

}  // namespace ofindex
