#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "index/columns/column.h"
#include "query/columns/chunks/record_column.h"
#include "query/columns/chunks/shared_source.h"

namespace ofindex {

/// Bounds on a column's values in one block, known without its chunk.
struct Zone {
  uint32_t records = 0;
  uint32_t min_nulls = 0;  ///< lower bound on the number of records that are NULL in SQL
  uint32_t max_nulls = 0;  ///< upper bound on that number
  ColumnValue min = {};    ///< lower bound on the values (elements, if lists), in SQLite's order. NULL: not known
  ColumnValue max = {};    ///< upper bound on the values (elements, if lists). NULL: not known
};

/// Returns the bounds of `column` in each block, from the metadata of chunks alone. Errors: kIndex, kIo.
[[nodiscard]] Result<std::vector<Zone>> MakeZones(SharedSource& source, const Column& column);

}  // namespace ofindex
