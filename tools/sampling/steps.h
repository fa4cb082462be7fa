#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "query/sampling/sampler.h"
#include "tools/shell/context.h"
#include "tools/shell/output.h"

namespace ofindex {

/// A request about the steps of a run, which are counted from 0 at the start of epoch 0.
struct StepRequest {
  uint64_t batch = 1;                       ///< records that each rank reads in a step
  std::optional<uint64_t> step = {};        ///< print the records of this step
  std::optional<uint64_t> ordinal = {};     ///< print when this record is read
  std::optional<std::string> skipped = {};  ///< A:B,...: leave out steps A to B - 1

  [[nodiscard]] bool prints() const { return step || ordinal; }
};

/// Leaves out the steps `request.skipped` of the run of `sampler`, which has `slice.world` ranks.
/// Errors: kUsage if the text is not a list of ranges; kOutOfRange if the run has no such steps.
[[nodiscard]] Result<void> SkipSteps(const StepRequest& request, const Slice& slice, Tail tail, Sampler& sampler);

/// Prints the ordinals that the rank reads in a step, or the steps at which a record is read in the epoch, one to a
/// line or as --json and --jsonl specify. Errors: kOutOfRange if the run has no such step or the dataset no such
/// record; kInterrupted, kIo.
[[nodiscard]] Result<void> PrintSteps(const StepRequest& request, const Slice& slice, Tail tail, const Sampler& sampler,
                                      const Context& context, Output& out);

}  // namespace ofindex
