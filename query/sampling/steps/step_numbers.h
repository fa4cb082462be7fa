#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// A position of a run: of its epoch `epoch`.
struct RunPosition {
  uint64_t epoch = 0;
  uint64_t position = 0;

  friend auto operator<=>(const RunPosition&, const RunPosition&) = default;
};

/// Steps `first` to `last` - 1 of a run.
struct StepRange {
  uint64_t first = 0;
  uint64_t last = 0;

  friend bool operator==(const StepRange&, const StepRange&) = default;
};

/// Steps of a run that nobody reads, by their numbers and by the positions that they would have read, `begin` to before
/// `end`. The positions say the same under any number of ranks and any batch size.
struct SkippedSteps {
  StepRange steps = {};
  RunPosition begin = {};
  RunPosition end = {};

  friend bool operator==(const SkippedSteps&, const SkippedSteps&) = default;
};

/// Maximum number of SkippedSteps of a run; bounds the size of its state.
inline constexpr size_t kMaxSkips = 32;

/// The numbers of the steps of a run. Skipped steps keep their numbers, so that a step has the same number whether or
/// not others are skipped: after step 4199 of a run that skips steps 4200 to 4259, step 4260 is read. A value type.
class StepNumbers {
 public:
  /// A gap in the numbers of the steps that are read.
  struct Gap {
    uint64_t before = 0;  ///< steps that are read before it
    uint64_t steps = 0;   ///< its size
  };

  /// The run begins with step `first`.
  StepNumbers(uint64_t first, std::vector<Gap> gaps);

  [[nodiscard]] uint64_t first() const { return first_; }

  /// Returns the number of the step before which `read` steps are read; UINT64_MAX if it is higher.
  [[nodiscard]] uint64_t NumberOf(uint64_t read) const;

  /// A step by its number.
  struct Step {
    uint64_t read_before = 0;  ///< steps that are read before it
    bool skipped = false;
  };

  /// Returns the step `number`. Errors: kOutOfRange if it lies before the first.
  [[nodiscard]] Result<Step> Find(uint64_t number) const;

 private:
  uint64_t first_;
  std::vector<Gap> gaps_;  // ascending by `before`
};

/// Returns what has to be skipped from step `first` on, so that the steps `wanted` are, if `skipped` are already:
/// ascending, neither overlapping nor adjacent. Steps before the first have been read and are left out.
/// Errors: kUsage if there would be more than kMaxSkips with those that are `skipped`.
[[nodiscard]] Result<std::vector<StepRange>> StepsToSkip(uint64_t first, std::span<const SkippedSteps> skipped,
                                                         std::vector<StepRange> wanted);

}  // namespace ofindex
