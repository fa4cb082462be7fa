#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/attaching/attach_report.h"
#include "query/attaching/record_lookup.h"
#include "query/attaching/record_values.h"
#include "query/attaching/table_rows.h"
#include "query/columns/column_store.h"

namespace ofindex {

/// Takes the rows of a table, and gives their values to the records with the same key. Not thread-safe.
class RowMatcher {
 public:
  /// `key` and `columns` are numbers of columns of `rows`. The arguments must outlive the matcher.
  RowMatcher(const RecordLookup& lookup, const ColumnStore& store, const TableRows& rows, size_t key,
             std::vector<size_t> columns);

  /// Errors: kUsage if a key is of another type than those of the records; kFormat if a key repeats with other values;
  /// kLimit.
  [[nodiscard]] Result<void> Take(const TableBatch& batch);

  /// Counts the rows and records in `report`, available after the last batch.
  void Report(AttachReport& report) const;

  /// Returns the values of a column, by its place in `columns`. Records are numbered without gaps.
  [[nodiscard]] RecordValues& values(size_t column) { return values_[column]; }

 private:
  [[nodiscard]] Result<void> CheckKey(const TableValue& key, uint64_t row) const;
  [[nodiscard]] Result<void> TakeRow(const TableBatch& batch, size_t i, RecordPlace first);
  [[nodiscard]] Result<void> CheckSame(const TableBatch& batch, size_t i, uint64_t record) const;
  [[nodiscard]] uint64_t NumberOf(RecordPlace place) const { return starts_[place.block()] + place.record(); }

  const RecordLookup& lookup_;
  const ColumnStore& store_;
  const TableRows& rows_;
  size_t key_;
  std::vector<size_t> columns_;
  std::vector<uint64_t> starts_;      // number of the first record of each block
  std::vector<RecordValues> values_;  // by column
  std::vector<bool> has_row_;         // by record
  std::vector<RecordPlace> found_;
  AttachReport counts_;
};

}  // namespace ofindex
