#pragma once

#include "query/columns/column_store.h"
#include "query/filter/selection.h"
#include "query/sampling/sets/ordinal_set.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// Returns the ordinals of the selected records, 64 at a time.
[[nodiscard]] OrdinalSet SetOf(const Selection& selection);

/// Return the ordinals of all records: those of shards that are missing are left out.
[[nodiscard]] OrdinalSet SetOf(const ColumnStore& store);
[[nodiscard]] View PresentRecords(const ColumnStore& store);

}  // namespace ofindex
