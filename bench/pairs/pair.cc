#include "bench/pairs/pair.h"

#include <algorithm>
#include <chrono>

namespace ofindex {
namespace {

bool was_stopped = false;

struct PairTurn {
  double ours;
  double bare;
};

Result<PairTurn> TakeTurn(const Pair& pair, bool ours_first) {
  PairTurn turn{};
  uint64_t ours_sum = 0;
  uint64_t bare_sum = 0;
  for (const bool ours : {ours_first, !ours_first}) {
    pair.before();
    OFINDEX_ASSIGN((ours ? turn.ours : turn.bare), Time(ours ? pair.ours : pair.bare, ours ? ours_sum : bare_sum));
  }
  if (ours_sum != bare_sum) return Fail(ErrorCode::kDamage, "the results of the two sides differ");
  return turn;
}

}  // namespace

void Measure(benchmark::State& state, const Pair& pair) {
  std::vector<double> ratios;
  std::vector<double> ours;
  std::vector<double> bare;
  for (auto _ : state) {
    const auto turn = TakeTurn(pair, ratios.size() % 2 == 0);
    if (!turn) return Stop(state, turn.error());
    state.SetIterationTime(turn->ours);
    ratios.push_back(turn->bare / turn->ours);
    ours.push_back(turn->ours);
    bare.push_back(turn->bare);
  }
  const double ratio = Median(ratios);
  const auto records = static_cast<double>(pair.records);
  state.counters["ours/s"] = records / Median(ours);
  state.counters["bare/s"] = records / Median(bare);
  state.counters["ratio"] = ratio;
  Report(pair.claim, ratio);
}

void Stop(benchmark::State& state, const Error& error) {
  was_stopped = true;
  state.SkipWithError(error.message.c_str());
}

bool WasStopped() { return was_stopped; }

Result<double> Time(const Work& work, uint64_t& sum) {
  const auto begin = std::chrono::steady_clock::now();
  OFINDEX_ASSIGN(sum, work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ofindex
