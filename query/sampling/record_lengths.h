#pragma once

#include <atomic>
#include <string>

#include "mmap/record_reader.h"
#include "query/columns/column_store.h"
#include "query/sampling/length_batches.h"

namespace ofindex {

/// Payload bytes of records, from the map; `reader` outlives the function. Takes no memory.
[[nodiscard]] LengthsOf LengthsOfPayloads(const RecordReader& reader);

/// The numbers of the column called `name`, rounded up. Takes 4 bytes a record. A record without one, or with one that
/// is negative or above 2^32 - 3, is an error when its length is asked for. `cancel` may be null.
/// Errors: kUsage  there is no such column, or it has lists; kInterrupted, kIndex, kIo, kLimit.
[[nodiscard]] Result<LengthsOf> LengthsOfColumn(ColumnStore& store, const std::string& name,
                                                const std::atomic<bool>* cancel = nullptr);

}  // namespace ofindex
