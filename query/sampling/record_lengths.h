#pragma once

#include <string>

#include "mmap/record_reader.h"
#include "query/column_store.h"
#include "query/sampling/length_batches.h"

namespace ofindex {

/// Payload bytes of records, from the map; `reader` outlives the function. Takes no memory.
[[nodiscard]] LengthsOf LengthsOfPayloads(const RecordReader& reader);

/// The numbers of the column called `name`, rounded up. Takes 4 bytes a record. Errors: kUsage  there is no such column,
/// or a record's value is negative, above 2^32 - 2, or no number; NULL is an error when its length is asked for.
[[nodiscard]] Result<LengthsOf> LengthsOfColumn(ColumnStore& store, const std::string& name);

}  // namespace ofindex
