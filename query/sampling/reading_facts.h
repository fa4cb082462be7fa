#pragma once

#include "base/result.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"

namespace ofindex {

/// Returns the facts for ChooseBlock() about `dataset`: its size, this machine's memory, and the storage of its first
/// shard. Errors: those of Snapshot::Catalog.
[[nodiscard]] Result<ReadingFacts> ReadingFactsOf(const Dataset& dataset);

}  // namespace ofindex
