#include "query/sampling/steps/step_numbers.h"

#include <algorithm>

#include "base/text.h"

namespace ofindex {
namespace {

uint64_t SaturatedSum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/// Appends what is left of `range` without `taken`, which are ascending and do not overlap.
void AppendWithout(StepRange range, std::span<const StepRange> taken, std::vector<StepRange>& left) {
  for (const StepRange& one : taken) {
    if (one.last <= range.first) continue;
    if (one.first >= range.last) break;
    if (one.first > range.first) left.push_back({range.first, one.first});
    range.first = one.last;
    if (range.first >= range.last) return;
  }
  left.push_back(range);
}

/// Sorts `ranges`, and joins those that overlap or are adjacent.
std::vector<StepRange> Joined(std::vector<StepRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const StepRange& a, const StepRange& b) { return a.first < b.first; });
  std::vector<StepRange> joined;
  for (const StepRange& one : ranges) {
    if (one.first >= one.last) continue;
    if (joined.empty() || joined.back().last < one.first) {
      joined.push_back(one);
    } else {
      joined.back().last = std::max(joined.back().last, one.last);
    }
  }
  return joined;
}

}  // namespace

StepNumbers::StepNumbers(uint64_t first, std::vector<Gap> gaps) : first_(first), gaps_(std::move(gaps)) {
  std::sort(gaps_.begin(), gaps_.end(), [](const Gap& a, const Gap& b) { return a.before < b.before; });
}

uint64_t StepNumbers::NumberOf(uint64_t read) const {
  uint64_t number = SaturatedSum(first_, read);
  for (const Gap& gap : gaps_) {
    if (gap.before > read) break;
    number = SaturatedSum(number, gap.steps);
  }
  return number;
}

Result<StepNumbers::Step> StepNumbers::Find(uint64_t number) const {
  if (number < first_) {
    return Fail(ErrorCode::kOutOfRange, StrCat("step ", number, ": expected ", first_, " or more"),
                "steps before it belong to the run as it was before the state: to its ranks and batches");
  }
  uint64_t read = number - first_;
  for (const Gap& gap : gaps_) {
    if (read < gap.before) break;
    if (read - gap.before < gap.steps) return Step{gap.before, true};
    read -= gap.steps;
  }
  return Step{read, false};
}

Result<std::vector<StepRange>> StepsToSkip(uint64_t first, std::span<const SkippedSteps> skipped,
                                           std::vector<StepRange> wanted) {
  std::vector<StepRange> known;
  for (const SkippedSteps& one : skipped) known.push_back(one.steps);
  known = Joined(std::move(known));
  for (StepRange& one : wanted) one.first = std::max(one.first, first);
  std::vector<StepRange> left;
  for (const StepRange& one : Joined(std::move(wanted))) AppendWithout(one, known, left);
  if (left.size() + skipped.size() > kMaxSkips) {
    return Fail(ErrorCode::kUsage,
                StrCat("skip: ", left.size() + skipped.size(), " ranges of steps, with those of the state; expected ",
                       kMaxSkips, " or fewer"),
                "join ranges that lie near each other");
  }
  return left;
}

}  // namespace ofindex
