#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/columns/column.h"
#include "query/audit/record_groups.h"
#include "query/dataset.h"

namespace ofindex {

/// The values of one column for some records of several datasets, each distinct value as a number.
struct ColumnNumbers {
  static constexpr uint32_t kNull = 0;

  std::vector<uint32_t> numbers;    ///< of each record: kNull, or the place of its value in `values`, plus 1
  std::vector<ColumnValue> values;  ///< the distinct values; a list is its JSON, as in SQL
};

/// Reads the column `name` of all `datasets` for `records`, in any order. A number equals a number of the other type
/// with the same value, as in SQL; a list equals a list with the same values in the same order. Errors: those of
/// FindValueColumn, naming the index; kIndex, kLimit, kInterrupted.
[[nodiscard]] Result<ColumnNumbers> NumbersOf(const std::string& name, std::span<const Dataset* const> datasets,
                                              const RecordNumbers& numbers, std::span<const uint64_t> records,
                                              const Progress& progress);

}  // namespace ofindex
