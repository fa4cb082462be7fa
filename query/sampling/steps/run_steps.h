#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/steps/rank_steps.h"
#include "query/sampling/steps/read_positions.h"
#include "query/sampling/steps/step_numbers.h"

namespace ofindex {

/// Returns the positions of epoch `epoch`, which has `size`, that are not in `skipped`.
[[nodiscard]] ReadPositions PositionsOf(std::span<const SkippedSteps> skipped, uint64_t epoch, uint64_t size);

/// Batches of a fixed number of records, of each rank. A step is one batch of each rank.
struct StepShape {
  uint64_t world = 1;
  Tail tail = Tail::kExact;
  uint64_t batch = 1;      ///< records, at least 1
  bool drop_last = false;  ///< a last batch of fewer records is not read
};

/// Where the steps of a run begin that are counted.
struct RunBegin {
  uint64_t step = 0;                        ///< the number of the first step
  RunPosition position = {};                ///< where all ranks begin together
  std::optional<uint64_t> epoch_size = {};  ///< positions of that epoch, if not as many as later epochs have
};

/// The steps of a run, counted through all its epochs. Steps end with their epoch. A rank that has one batch less than
/// rank 0 has none in the last step of an epoch. All ranks begin later epochs together at position 0. A value type.
class RunSteps {
 public:
  /// Later epochs than that of `begin` have `epoch_size` positions. Those of `skipped` that begin earlier are left out,
  /// too, but the number of the first step already counts them.
  RunSteps(uint64_t epoch_size, std::vector<SkippedSteps> skipped, const StepShape& shape, const RunBegin& begin = {});

  /// A step: batch `batch` of each rank in its epoch, counted from where the ranks begin.
  struct Place {
    RunPosition begin = {};  ///< where the ranks begin in the epoch of the step
    uint64_t batch = 0;
  };

  /// Returns the place of a step; nullopt if it is skipped. Errors: kOutOfRange if `step` lies before the first, or no
  /// epoch has it.
  [[nodiscard]] Result<std::optional<Place>> Find(uint64_t step) const;

  /// Returns the number of the first step that is read and does not begin before `position`; the latter is not before
  /// the begin.
  [[nodiscard]] uint64_t StepAt(const RunPosition& position) const { return numbers_.NumberOf(ReadBefore(position)); }

  /// Returns the number of steps that are read and begin before `position`.
  [[nodiscard]] uint64_t ReadBefore(const RunPosition& position) const;

  [[nodiscard]] const StepNumbers& numbers() const { return numbers_; }

  /// Returns the position where all ranks begin a step or, if it is skipped, the next one. Errors: as Find.
  [[nodiscard]] Result<RunPosition> BeginOf(uint64_t step) const;

  /// Returns what has to be skipped in addition, so that nobody reads the steps `wanted`, as far as there are any.
  /// Errors: kUsage if that is too much for a state.
  [[nodiscard]] Result<std::vector<SkippedSteps>> Skip(std::vector<StepRange> wanted) const;

  /// Returns which positions of `epoch`, the first or a later one, each rank reads.
  [[nodiscard]] RankSteps RanksIn(uint64_t epoch) const;

 private:
  [[nodiscard]] Result<Place> FindRead(uint64_t read) const;
  [[nodiscard]] uint64_t StepsIn(uint64_t epoch) const;
  [[nodiscard]] uint64_t StepsToEpoch(uint64_t epoch) const;
  [[nodiscard]] std::vector<uint64_t> EpochsThatDiffer() const;
  [[nodiscard]] std::vector<StepNumbers::Gap> Gaps() const;

  uint64_t epoch_size_;
  std::vector<SkippedSteps> skipped_;
  StepShape shape_;
  RunBegin begin_;
  StepNumbers numbers_;
};

}  // namespace ofindex
