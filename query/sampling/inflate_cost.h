#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"

namespace ofindex {

/// What a global shuffle of `dataset`, of `facts`, costs where shards are compressed, measured here and now on a few of
/// its records, and what reading it in runs costs: for people. Nothing where none is compressed, or all of it stays in
/// the cache. Takes some 20 ms; where spans are long, at most some 50 ms and one of them. Errors: those of reading.
[[nodiscard]] Result<std::optional<std::string>> CostOfGlobalShuffle(const Dataset& dataset, const ReadingFacts& facts);

}  // namespace ofindex
