#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/columns/column.h"
#include "query/audit/record_groups.h"
#include "query/columns/column_store.h"
#include "query/dataset.h"

namespace ofindex {

/// The values of one column for some records of several datasets, each distinct value as a number.
struct ColumnNumbers {
  static constexpr uint32_t kNull = 0;

  std::vector<uint32_t> numbers;    ///< of each record: kNull, or the place of its value in `values`, plus 1
  std::vector<ColumnValue> values;  ///< the distinct values; a list is its JSON, as in SQL
};

/// The columns of one name in several datasets. Moves, does not copy; used by one thread at a time.
class NamedColumns {
 public:
  /// Finds the column `name` in all `datasets`, which must outlive this object. Errors: those of FindValueColumn,
  /// naming the index; kIndex.
  [[nodiscard]] static Result<NamedColumns> Open(const std::string& name, std::span<const Dataset* const> datasets);

  /// Reads the values of `records`, in any order. A number equals a number of the other type with the same value, as in
  /// SQL; a list equals a list with the same values in the same order. Errors: kIndex, kLimit, kInterrupted.
  [[nodiscard]] Result<ColumnNumbers> NumbersOf(const RecordNumbers& numbers, std::span<const uint64_t> records,
                                                const Progress& progress) const;

 private:
  struct InDataset {
    std::shared_ptr<ColumnStore> store;
    Column column;
  };

  std::vector<InDataset> columns_;  // by dataset
};

}  // namespace ofindex
