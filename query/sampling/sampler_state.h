#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "query/sampling/orders/block_order.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/steps/run_steps.h"

namespace ofindex {

/// The state to resume from: less than 1 KiB as JSON for any dataset, and some 40 bytes for each skip.
struct SamplerState {
  uint32_t version = kSamplingVersion;
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;                   ///< of the epoch, for all ranks together
  int64_t generation = 0;                  ///< of the dataset when the epoch began
  uint64_t records = 0;                    ///< of that generation
  std::string dataset;                     ///< fingerprint of those records
  std::string selection;                   ///< fingerprint of the view's members
  std::string order;                       ///< the order, as text from Describe(SamplingMethod)
  std::vector<SkippedSteps> skipped = {};  ///< of the run

  friend bool operator==(const SamplerState&, const SamplerState&) = default;
};

/// What updates have changed for the epoch of a state since the state was taken.
struct StateChanges {
  uint64_t new_records = 0;   ///< of the selection, that the state's epoch does not have
  uint64_t gone_records = 0;  ///< of the state's dataset; 0 if the state's epoch goes on, which misses none
  int64_t from = 0;           ///< generation of the state
  int64_t to = 0;             ///< newest generation
  bool begun_anew = false;    ///< nothing of the epoch was read, so it has the records of the newest generation

  friend bool operator==(const StateChanges&, const StateChanges&) = default;
};

/// Returns the state as JSON, on one line.
[[nodiscard]] std::string ToJson(const SamplerState& state);

/// Parses a state. Errors: kUsage if `text` is not a state; kStale if the state belongs to another version of the
/// algorithms.
[[nodiscard]] Result<SamplerState> ParseSamplerState(const std::string& text);

/// Returns the block shape of the state's order; nullopt if it is not a block shuffle.
[[nodiscard]] std::optional<BlockShape> BlockOf(const SamplerState& state);

/// Finds the generation of a state among those of a dataset; a dataset that was updated since then still has it.
/// Errors: kStale if it does not have it (the text gives the difference).
[[nodiscard]] Result<GenerationRow> GenerationOf(const SamplerState& state,
                                                 const std::vector<GenerationRow>& generations);

/// Checks that `now` samples the same as `state`, except for position, seed and epoch. Errors: kStale if it does not
/// (the text gives the difference).
[[nodiscard]] Result<void> CheckSameSample(const SamplerState& state, const SamplerState& now);

}  // namespace ofindex
