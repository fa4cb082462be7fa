#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// Receives the weights of records `first`, `first` + 1, ....
using VisitWeights = std::function<void(uint64_t first, std::span<const double> weights)>;

/// Returns true if the weight of a record matters. Called only for records without a valid weight.
using Counts = std::function<bool(uint64_t record)>;

/// Calls `visit` with the numbers of `column` as weights of the first `records` records, block by block in ascending
/// order. NULL and NaN become 0; so do invalid weights of records for which `counts` is false. `cancel` may be null.
/// Errors: kUsage if a value is negative, infinite or not a number (the text names record and value); kInterrupted, and
/// those of ColumnStore::Load.
[[nodiscard]] Result<void> ForEachWeight(ColumnStore& store, const Column& column, uint64_t records,
                                         const Counts& counts, const VisitWeights& visit,
                                         const std::atomic<bool>* cancel = nullptr);

}  // namespace ofindex
