#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "query/sampling/sampler.h"
#include "query/sampling/sets/ordinal_set.h"
#include "query/sampling/shard_history.h"

namespace ofindex {

/// What a state is resumed on.
struct ResumeRequest {
  GenerationRow newest;
  const std::vector<GenerationRow>& generations;
  const ShardHistory& history;
  const OrdinalSet& there;  ///< the records of the newest generation
  bool samples_all;         ///< all records are sampled, not a selection
  bool force;               ///< use the state even if it was taken from another dataset

  /// Opens a sampler of the selected ones of some records, at the start of the state's epoch.
  std::function<Result<Sampler>(const GenerationRow&, const OrdinalSet&)> open;
};

/// Opens a sampler for the epoch of `state`, at its start. An epoch goes on with the records that it began with, as
/// long as all of them are there, and SetEpoch begins epochs of the newest generation. An epoch of which nothing was
/// read belongs to the newest generation too, whatever has gone. Depends on nothing but state and dataset, so all ranks
/// agree.
///
/// Errors: kStale if the state is of another dataset, selection or order, or if records of its epoch are gone; those of
/// `open`.
[[nodiscard]] Result<Sampler> Resume(const SamplerState& state, const ResumeRequest& request);

}  // namespace ofindex
