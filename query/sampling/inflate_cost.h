#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"

namespace ofindex {

/// Returns what a global shuffle of `dataset`, with `facts`, costs if shards are compressed, and what reading in runs
/// costs, as text for people. Measured now on a few of its records. Nothing if none is compressed, or all of it stays
/// in the cache. Takes some 20 ms; if spans are long, at most some 50 ms and one span. Errors: those of reading.
[[nodiscard]] Result<std::optional<std::string>> CostOfGlobalShuffle(const Dataset& dataset, const ReadingFacts& facts);

}  // namespace ofindex
