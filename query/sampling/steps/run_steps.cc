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

RunSteps::RunSteps(uint64_t epoch_size, std::vector<SkippedSteps> skipped, const StepShape& shape,
                   const RunBegin& begin)
    : epoch_size_(epoch_size),
      skipped_(std::move(skipped)),
      shape_(shape),
      begin_(begin),
      numbers_(begin.step, Gaps()) {}

// Steps that begin before the run does were counted before it, even if they end after its begin.
std::vector<StepNumbers::Gap> RunSteps::Gaps() const {
  std::vector<StepNumbers::Gap> gaps;
  for (const SkippedSteps& one : skipped_) {
    if (one.begin < begin_.position || one.steps.last < one.steps.first) continue;
    gaps.push_back({ReadBefore(one.begin), one.steps.last - one.steps.first});
  }
  return gaps;
}

RankSteps RunSteps::RanksIn(uint64_t epoch) const {
  const bool first = epoch == begin_.position.epoch;
  const uint64_t size = first ? begin_.epoch_size.value_or(epoch_size_) : epoch_size_;
  return {PositionsOf(skipped_, epoch, size), first ? begin_.position.position : 0, shape_.world, shape_.tail};
}

uint64_t RunSteps::StepsIn(uint64_t epoch) const {
  const uint64_t records = RanksIn(epoch).StepsOf(0);
  return records / shape_.batch + (!shape_.drop_last && records % shape_.batch != 0 ? 1 : 0);
}

/// Returns ascending epochs: all from one to before the next, and all from the last on, have the same number of steps.
std::vector<uint64_t> RunSteps::EpochsThatDiffer() const {
  const uint64_t begin = begin_.position.epoch;
  std::vector<uint64_t> epochs = {begin, begin + 1};
  for (const SkippedSteps& one : skipped_) {
    for (const uint64_t epoch : {one.begin.epoch, one.end.epoch}) epochs.insert(epochs.end(), {epoch, epoch + 1});
  }
  std::erase_if(epochs, [begin](uint64_t epoch) { return epoch < begin; });
  std::sort(epochs.begin(), epochs.end());
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  return epochs;
}

Result<RunSteps::Place> RunSteps::FindRead(uint64_t read) const {
  uint64_t left = read;
  const std::vector<uint64_t> epochs = EpochsThatDiffer();
  for (size_t i = 0; i < epochs.size(); ++i) {
    const uint64_t count = (i + 1 < epochs.size() ? epochs[i + 1] : UINT64_MAX) - epochs[i];
    const uint64_t steps = StepsIn(epochs[i]);
    if (steps != 0 && left / steps < count) {
      const uint64_t epoch = epochs[i] + left / steps;
      const bool first = epoch == begin_.position.epoch;
      return Place{first ? begin_.position : RunPosition{epoch, 0}, left % steps};
    }
    left -= steps * count;
  }
  return Fail(ErrorCode::kOutOfRange, StrCat("step ", numbers_.NumberOf(read), ": no later epoch has a step"),
              "expected a lower step");
}

Result<std::optional<RunSteps::Place>> RunSteps::Find(uint64_t step) const {
  OFINDEX_ASSIGN(const StepNumbers::Step found, numbers_.Find(step));
  if (found.skipped) return std::nullopt;
  return FindRead(found.read_before);
}

/// Returns the number of steps that are read before the beginning of `epoch`.
uint64_t RunSteps::StepsToEpoch(uint64_t epoch) const {
  unsigned __int128 steps = 0;
  const std::vector<uint64_t> epochs = EpochsThatDiffer();
  for (size_t i = 0; i < epochs.size() && epochs[i] < epoch; ++i) {
    const uint64_t end = i + 1 < epochs.size() ? std::min(epochs[i + 1], epoch) : epoch;
    steps += static_cast<unsigned __int128>(end - epochs[i]) * StepsIn(epochs[i]);
  }
  return static_cast<uint64_t>(std::min<unsigned __int128>(steps, UINT64_MAX));
}

uint64_t RunSteps::ReadBefore(const RunPosition& position) const {
  const RankSteps ranks = RanksIn(position.epoch);
  // A step of which one rank has read has begun.
  const uint64_t read = ranks.CountBefore(std::min(position.position, ranks.positions().size()));
  const uint64_t records = read / shape_.world + (read % shape_.world != 0 ? 1 : 0);
  const uint64_t steps = records / shape_.batch + (records % shape_.batch != 0 ? 1 : 0);
  const uint64_t before = StepsToEpoch(position.epoch);
  return before + std::min({steps, StepsIn(position.epoch), UINT64_MAX - before});
}

Result<RunPosition> RunSteps::BeginOf(uint64_t step) const {
  OFINDEX_ASSIGN(const StepNumbers::Step found, numbers_.Find(step));
  OFINDEX_ASSIGN(const Place place, FindRead(found.read_before));
  return RunPosition{place.begin.epoch, RanksIn(place.begin.epoch).PositionAfter(place.batch * shape_.batch)};
}

Result<std::vector<SkippedSteps>> RunSteps::Skip(std::vector<StepRange> wanted) const {
  OFINDEX_ASSIGN(const std::vector<StepRange> left, StepsToSkip(numbers_.first(), skipped_, std::move(wanted)));
  std::vector<SkippedSteps> skipped;
  for (const StepRange& one : left) {
    const Result<RunPosition> begin = BeginOf(one.first);
    if (!begin) break;
    skipped.push_back({one, *begin, BeginOf(one.last).value_or(RunPosition{UINT64_MAX, 0})});
  }
  return skipped;
}

}  // namespace ofindex
