#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/sampling/steps/rank_steps.h"
#include "query/sampling/steps/read_positions.h"

namespace ofindex {

/// A position of a run: of its epoch `epoch`.
struct RunPosition {
  uint64_t epoch = 0;
  uint64_t position = 0;

  friend auto operator<=>(const RunPosition&, const RunPosition&) = default;
};

/// Steps `first` to `last` - 1 of a run, which nobody reads, as they were asked for; and their positions, `begin` to
/// before `end`, which say the same under any number of ranks and any batch size.
struct SkippedSteps {
  uint64_t first = 0;
  uint64_t last = 0;
  RunPosition begin = {};
  RunPosition end = {};

  friend bool operator==(const SkippedSteps&, const SkippedSteps&) = default;
};

/// Maximum number of SkippedSteps of a run; bounds the size of its state.
inline constexpr size_t kMaxSkips = 32;

/// Returns the positions of epoch `epoch`, which has `size`, that are not in `skipped`.
[[nodiscard]] ReadPositions PositionsOf(std::span<const SkippedSteps> skipped, uint64_t epoch, uint64_t size);

/// Batches of a fixed number of records, of each rank. A step is one batch of each rank.
struct StepShape {
  uint64_t world = 1;
  Tail tail = Tail::kExact;
  uint64_t batch = 1;      ///< records, at least 1
  bool drop_last = false;  ///< a last batch of fewer records is not read
};

/// The steps of a run, counted through all its epochs, which have the same number of positions. Steps count the batches
/// that are read: not the skipped ones. Steps end with their epoch. A rank that has one batch less than rank 0 has none
/// in the last step of an epoch. A value type.
class RunSteps {
 public:
  /// Step `first` begins at `begin`, where all ranks begin together. They begin together at position 0 of each later
  /// epoch.
  RunSteps(uint64_t epoch_size, std::vector<SkippedSteps> skipped, const StepShape& shape, RunPosition begin = {},
           uint64_t first = 0);

  /// A step: batch `batch` of each rank in its epoch, counted from where the ranks begin.
  struct Place {
    RunPosition begin = {};  ///< where the ranks begin in the epoch of the step
    uint64_t batch = 0;
  };

  /// Returns the place of a step. Errors: kOutOfRange if `step` lies before the first, or no epoch has a step.
  [[nodiscard]] Result<Place> Find(uint64_t step) const;

  /// Returns the number of the first step that does not begin before `position`, which is not before the first.
  [[nodiscard]] uint64_t StepAt(const RunPosition& position) const;

  /// Returns the position where all ranks begin a step. Errors: as Find.
  [[nodiscard]] Result<RunPosition> BeginOf(uint64_t step) const;

  /// Returns steps `first` to `last` - 1 with their positions, to skip them. Errors: as Find.
  [[nodiscard]] Result<SkippedSteps> Skip(uint64_t first, uint64_t last) const;

  /// Returns which positions of `epoch`, the first or a later one, each rank reads.
  [[nodiscard]] RankSteps RanksIn(uint64_t epoch) const;

 private:
  [[nodiscard]] uint64_t StepsIn(uint64_t epoch) const;
  [[nodiscard]] uint64_t StepsToEpoch(uint64_t epoch) const;
  [[nodiscard]] std::vector<uint64_t> EpochsThatDiffer() const;

  uint64_t epoch_size_;
  std::vector<SkippedSteps> skipped_;
  StepShape shape_;
  RunPosition begin_;
  uint64_t first_;
};

}  // namespace ofindex
