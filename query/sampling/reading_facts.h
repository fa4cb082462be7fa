#pragma once

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"
#include "query/sampling/block_choice.h"

namespace ofindex {

/// What ChooseBlock() has to know of `dataset`, whose columns `store` has: its size, this machine's memory, and what
/// its first shard lies on. Errors: kIndex.
[[nodiscard]] Result<ReadingFacts> ReadingFactsOf(const Dataset& dataset, const ColumnStore& store);

}  // namespace ofindex
