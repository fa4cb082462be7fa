#pragma once

#include "index/columns/column.h"
#include "index/columns/distinct_sketch.h"
#include "index/fields/blob.h"

namespace ofindex {

// Parts of columns as fields. Reading refuses what no writer can have written.

void WriteSketch(const DistinctSketch& sketch, BlobWriter& to);
[[nodiscard]] DistinctSketch ReadSketch(BlobReader& from);

void WriteColumnValue(const ColumnValue& value, BlobWriter& to);
[[nodiscard]] ColumnValue ReadColumnValue(BlobReader& from);

}  // namespace ofindex
