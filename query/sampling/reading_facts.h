#pragma once

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"

namespace ofindex {

/// Returns the facts for ChooseBlock() about `dataset`, whose columns are in `store`: its size, this machine's memory,
/// and the storage of its first shard. Errors: kIndex.
[[nodiscard]] Result<ReadingFacts> ReadingFactsOf(const Dataset& dataset, const ColumnStore& store);

}  // namespace ofindex
