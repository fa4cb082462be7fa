#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/codes/binning.h"

namespace ofindex {

/// How a column is drawn.
enum class ChartKind : uint8_t { kNone, kHistogram, kBars };

/// At most so many bars are drawn, besides those of other values and of NULL.
inline constexpr size_t kMaxBars = 24;

/// Returns how `column` is drawn, from the facts of its feature alone: histograms for numbers, unless only a few are
/// distinct; bars for other values, unless nearly all are distinct; nothing for lists.
[[nodiscard]] ChartKind ChartKindOf(const ColumnStore& store, const Column& column);

/// Returns the bins or bars of a column that is drawn. Reads zone maps alone if they have the bounds of all numbers;
/// otherwise, and for bars, the chunks: for bars at most about two million records of them. Errors: kUsage if the
/// column is not drawn; kInterrupted; those of ColumnStore::Load.
[[nodiscard]] Result<Binning> BinningOf(ColumnStore& store, const Column& column, const Progress& progress);

}  // namespace ofindex
