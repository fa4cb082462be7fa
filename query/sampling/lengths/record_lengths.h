#pragma once

#include <atomic>
#include <span>
#include <string>

#include "mmap/record_reader.h"
#include "query/columns/column_store.h"
#include "query/sampling/lengths/length_batches.h"

namespace ofindex {

/// Returns payload sizes of records in bytes, from the map; `reader` must outlive the function. Takes no memory. Copies
/// of the function may be called by different threads.
[[nodiscard]] LengthsOf LengthsOfPayloads(const RecordReader& reader);

/// Returns the numbers of the column called `name` as lengths, rounded up. Takes 4 bytes per record. For a record
/// without a number, or with one that is negative or above 2^32 - 3, asking for its length is an error. `cancel` may be
/// null.
/// Errors: kUsage if there is no such column, or it has lists; kInterrupted, kIndex, kIo, kLimit.
[[nodiscard]] Result<LengthsOf> LengthsOfColumn(ColumnStore& store, const std::string& name,
                                                const std::atomic<bool>* cancel = nullptr);

/// Returns `numbers`, one for each ordinal, as lengths, rounded up; NaN is no number. Otherwise as LengthsOfColumn.
[[nodiscard]] Result<LengthsOf> LengthsOfNumbers(std::span<const double> numbers);

}  // namespace ofindex
