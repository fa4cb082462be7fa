#pragma once

#include "base/result.h"
#include "mmap/record_reader.h"
#include "query/sampling/sets/view.h"

namespace ofindex {

/// Returns the records that can be read: all but those that are gone. Needs the map alone, not the columns. Errors:
/// kIndex.
[[nodiscard]] Result<View> PresentRecords(const RecordReader& reader);

}  // namespace ofindex
