#include "query/stats/null_reasons.h"

#include "query/columns/chunk_numbers.h"

namespace ofindex {

bool HasNullReasons(const Column& column) {
  return column.origin == Column::Origin::kFeature &&
         (column.role == ColumnRole::kValue || column.role == ColumnRole::kSize);
}

NullReasons ReasonsIn(const PickedChunk& counts) {
  NullReasons reasons;
  reasons.absent = counts.rows();
  ForEachNumber(
      *counts.chunk,
      [&](uint32_t record, int64_t values) {
        const uint64_t times = counts.TimesOf(record);
        reasons.absent -= times;
        if (values == 0) reasons.empty += times;
        if (values > 1) reasons.several += times;
      },
      [](uint32_t, double) {});  // counts are integers
  return reasons;
}

}  // namespace ofindex
