#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/cross_filter_question.h"

namespace ofindex {

/// Answers a question about the columns of `store`, in one pass over the blocks on store.threads() threads. An estimate
/// depends on the question and on which of its dimensions are complete, and an exact answer on the question alone:
/// never on the threads. Errors: kUsage if a dimension or `among` is of another dataset; kInterrupted once `progress`
/// is cancelled; those of ColumnStore::Load.
[[nodiscard]] Result<CrossFilterCounts> CrossFilter(ColumnStore& store, const CrossFilterQuestion& question,
                                                    const Progress& progress);

}  // namespace ofindex
