#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "query/column_store.h"

namespace ofindex {

/// Takes the weights of records `first`, `first` + 1, ....
using VisitWeights = std::function<void(uint64_t first, std::span<const double> weights)>;

/// Calls `visit` with the numbers of `column` as weights of the first `records` records, block by block in ascending
/// order. NULL, and NaN with it, is 0. `cancel` may be null.
/// Errors: kUsage  a value is negative, infinite or no number; the message names record and value. kInterrupted, and
/// those of ColumnStore::Load.
[[nodiscard]] Result<void> ForEachWeight(ColumnStore& store, const Column& column, uint64_t records,
                                         const VisitWeights& visit, const std::atomic<bool>* cancel = nullptr);

}  // namespace ofindex
