#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/conditions.h"
#include "query/crossfilter/cross_filter_question.h"

namespace ofindex {

/// A question with its filters by column. All that it refers to must outlive it. Immutable; any number of threads may
/// use it.
struct PreparedQuestion {
  ColumnStore& store;
  const CrossFilterQuestion& question;
  std::vector<ColumnConditions> conditions;
  std::vector<std::optional<size_t>> own;  ///< by dimension, in `conditions`; none: no filter is on its column

  /// Errors: kUsage if a dimension, or the selection, is of another dataset; those of ConditionsOf.
  [[nodiscard]] static Result<PreparedQuestion> Of(ColumnStore& store, const CrossFilterQuestion& question,
                                                   const Progress& progress);
};

}  // namespace ofindex
