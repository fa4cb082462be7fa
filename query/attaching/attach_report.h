#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ofindex {

/// A row of a table, in a report.
struct ReportedRow {
  uint64_t row = 0;  ///< from 1
  std::string key;   ///< see ShownKey
};

/// What Attach() has done. Lists have the first kReported entries.
struct AttachReport {
  static constexpr size_t kReported = 5;

  std::string file;
  std::vector<std::string> columns;  ///< names in SQL
  uint64_t rows = 0;                 ///< of the table
  uint64_t records = 0;              ///< that are there
  uint64_t attached_records = 0;     ///< that have a row
  uint64_t rows_without_record = 0;  ///< also those whose key is NULL
  std::vector<ReportedRow> first_without_record = {};
  uint64_t repeated_rows = 0;  ///< with the key and the values of a row before
  std::vector<ReportedRow> first_repeated = {};
  std::vector<uint64_t> first_records_without_row = {};  ///< ordinals
  uint64_t file_bytes = 0;

  [[nodiscard]] uint64_t records_without_row() const { return records - attached_records; }
};

}  // namespace ofindex
