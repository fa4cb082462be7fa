#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "query/attaching/record_lookup.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"

namespace ofindex {

/// Returns a lookup of the records of `dataset`, whose columns are `store`, by `key`: the name of a column, or of a
/// feature whose values no column has, which is then read from all records; or `_id`, for ordinals. A record whose
/// feature has no value, or several, has no key, and neither has a bad record. `store` must outlive the lookup.
///
/// Errors: kUsage if there is no such column or feature, or if its values are reals or lists; those of reading.
[[nodiscard]] Result<std::unique_ptr<RecordLookup>> LookupBy(const std::string& key, const Dataset& dataset,
                                                             ColumnStore& store, const Progress& progress);

}  // namespace ofindex
