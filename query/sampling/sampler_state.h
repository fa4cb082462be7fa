#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "query/sampling/orders/permutation.h"

namespace ofindex {

/// All that has to be kept to read on: less than 1 KiB as JSON, whatever the dataset.
struct SamplerState {
  uint32_t law = kSamplingLaw;
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;   ///< of the epoch, all ranks together
  int64_t generation = 0;  ///< of the dataset when the epoch began
  uint64_t records = 0;    ///< of that generation
  std::string dataset;     ///< fingerprint of those records
  std::string selection;   ///< fingerprint of the view's members
  std::string order;       ///< the law, as Describe(SampleLaw) has it

  friend bool operator==(const SamplerState&, const SamplerState&) = default;
};

/// As JSON, on one line.
[[nodiscard]] std::string ToJson(const SamplerState& state);

/// Errors: kUsage  `text` is no state; kStale  it is one of another law version.
[[nodiscard]] Result<SamplerState> ParseSamplerState(const std::string& text);

/// The generation that a state is of, among those of a dataset: a dataset that has grown since still has it.
/// Errors: kStale  it does not have it, and the text says what is different.
[[nodiscard]] Result<GenerationRow> GenerationOf(const SamplerState& state,
                                                 const std::vector<GenerationRow>& generations);

/// Errors: kStale  what is to be sampled now, `now`, is not what the state was taken of: the text says what is
/// different. Position, seed and epoch may be any.
[[nodiscard]] Result<void> CheckSameSample(const SamplerState& state, const SamplerState& now);

}  // namespace ofindex
