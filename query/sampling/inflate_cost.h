#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"

namespace ofindex {

/// Returns, as text for people, what a global shuffle of `dataset` costs if its shards are compressed, and what reading
/// in runs costs. `facts` are those of `dataset`. Measures the cost on a few records, which takes about 20 ms or, with
/// long spans, at most about 50 ms plus the time for one span. Returns nothing if no shard is compressed, or if all
/// inflated bytes stay in the cache. Errors: those of reading.
[[nodiscard]] Result<std::optional<std::string>> CostOfGlobalShuffle(const Dataset& dataset, const ReadingFacts& facts);

}  // namespace ofindex
