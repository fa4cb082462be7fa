#include "query/sampling/steps/run_steps.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {

ReadPositions PositionsOf(std::span<const SkippedSteps> skipped, uint64_t epoch, uint64_t size) {
  std::vector<PositionRange> ranges;
  for (const SkippedSteps& one : skipped) {
    if (one.begin.epoch > epoch || one.end.epoch < epoch) continue;
    ranges.push_back(
        {one.begin.epoch == epoch ? one.begin.position : 0, one.end.epoch == epoch ? one.end.position : size});
  }
  return ReadPositions(size, std::move(ranges));
}

RunSteps::RunSteps(uint64_t epoch_size, std::vector<SkippedSteps> skipped, const StepShape& shape, RunPosition begin,
                   uint64_t first)
    : epoch_size_(epoch_size), skipped_(std::move(skipped)), shape_(shape), begin_(begin), first_(first) {}

RankSteps RunSteps::RanksIn(uint64_t epoch) const {
  const uint64_t begin = epoch == begin_.epoch ? std::min(begin_.position, epoch_size_) : 0;
  return {PositionsOf(skipped_, epoch, epoch_size_), begin, shape_.world, shape_.tail};
}

uint64_t RunSteps::StepsIn(uint64_t epoch) const {
  const uint64_t records = RanksIn(epoch).StepsOf(0);
  return records / shape_.batch + (!shape_.drop_last && records % shape_.batch != 0 ? 1 : 0);
}

/// Returns ascending epochs: all from one to before the next, and all from the last on, have the same number of steps.
std::vector<uint64_t> RunSteps::EpochsThatDiffer() const {
  std::vector<uint64_t> epochs = {begin_.epoch, begin_.epoch + 1};
  for (const SkippedSteps& one : skipped_) {
    for (const uint64_t epoch : {one.begin.epoch, one.end.epoch}) epochs.insert(epochs.end(), {epoch, epoch + 1});
  }
  std::erase_if(epochs, [this](uint64_t epoch) { return epoch < begin_.epoch; });
  std::sort(epochs.begin(), epochs.end());
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  return epochs;
}

Result<RunSteps::Place> RunSteps::Find(uint64_t step) const {
  if (step < first_) {
    return Fail(ErrorCode::kOutOfRange,
                StrCat("step ", step, ": expected ", first_, " or more, where this run begins"));
  }
  uint64_t left = step - first_;
  const std::vector<uint64_t> epochs = EpochsThatDiffer();
  for (size_t i = 0; i < epochs.size(); ++i) {
    const uint64_t count = (i + 1 < epochs.size() ? epochs[i + 1] : UINT64_MAX) - epochs[i];
    const uint64_t steps = StepsIn(epochs[i]);
    if (steps != 0 && left / steps < count) {
      const uint64_t epoch = epochs[i] + left / steps;
      return Place{epoch == begin_.epoch ? begin_ : RunPosition{epoch, 0}, left % steps};
    }
    left -= steps * count;
  }
  return Fail(ErrorCode::kOutOfRange, StrCat("step ", step, ": expected a lower one: no later epoch has a step"));
}

/// Returns the number of steps before the beginning of `epoch`.
uint64_t RunSteps::StepsToEpoch(uint64_t epoch) const {
  unsigned __int128 steps = first_;
  const std::vector<uint64_t> epochs = EpochsThatDiffer();
  for (size_t i = 0; i < epochs.size() && epochs[i] < epoch; ++i) {
    const uint64_t end = i + 1 < epochs.size() ? std::min(epochs[i + 1], epoch) : epoch;
    steps += static_cast<unsigned __int128>(end - epochs[i]) * StepsIn(epochs[i]);
  }
  return static_cast<uint64_t>(std::min<unsigned __int128>(steps, UINT64_MAX));
}

uint64_t RunSteps::StepAt(const RunPosition& position) const {
  const RankSteps ranks = RanksIn(position.epoch);
  // A step of which one rank has read has begun.
  const uint64_t read = ranks.CountBefore(std::min(position.position, epoch_size_));
  const uint64_t records = read / shape_.world + (read % shape_.world != 0 ? 1 : 0);
  const uint64_t steps = records / shape_.batch + (records % shape_.batch != 0 ? 1 : 0);
  const uint64_t before = StepsToEpoch(position.epoch);
  return before + std::min({steps, StepsIn(position.epoch), UINT64_MAX - before});
}

Result<RunPosition> RunSteps::BeginOf(uint64_t step) const {
  OFINDEX_ASSIGN(const Place place, Find(step));
  return RunPosition{place.begin.epoch, RanksIn(place.begin.epoch).PositionAfter(place.batch * shape_.batch)};
}

Result<SkippedSteps> RunSteps::Skip(uint64_t first, uint64_t last) const {
  OFINDEX_ASSIGN(const RunPosition begin, BeginOf(first));
  OFINDEX_ASSIGN(const RunPosition end, BeginOf(last));
  return SkippedSteps{first, last, begin, end};
}

}  // namespace ofindex
