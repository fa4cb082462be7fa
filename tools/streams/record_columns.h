#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/catalog/shared_catalog.h"
#include "index/columns/column.h"

namespace ofindex {

/// A feature as a column of a table of records.
struct RecordColumn {
  std::string feature;            ///< exact bytes; `NAME[]` for a feature list
  std::string title;              ///< UTF-8; unique among the columns, and not `_id`
  std::optional<FeatureRow> row;  ///< what the index knows about it; nullopt: nothing
};

/// Returns the columns for the features `names`, in their order, or for all features of the index if there are none.
/// Errors: kUsage if a feature is in no record, with the nearest names, or if the index knows no features.
[[nodiscard]] Result<std::vector<RecordColumn>> ColumnsOfRecords(const SharedCatalog& catalog,
                                                                 const std::vector<std::string>& names);

/// Checks that each of `names` is a feature of the index, unless the index does not know all features. Errors: kUsage.
[[nodiscard]] Result<void> CheckFeatures(const SharedCatalog& catalog, const std::vector<std::string>& names);

}  // namespace ofindex
