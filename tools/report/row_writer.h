#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/sql/sql_session.h"
#include "tools/shell/output.h"
#include "tools/shell/table.h"

namespace ofindex {

/// The forms of written rows. All except the table are written as rows arrive.
enum class RowForm {
  kTable,      ///< aligned columns, for people: long values are cut, and what moves a cursor is shown as \xNN
  kJson,       ///< one document
  kJsonLines,  ///< an object per line
  kCsv,        ///< RFC 4180 with LF as the line end, and a header
  kCsvRows,    ///< the same without the header
};

/// Writes the rows of one statement. Columns of the same name get the suffixes _2, _3 and so on. Not thread-safe.
class RowWriter {
 public:
  RowWriter(RowForm form, const std::vector<std::string>& columns, Output& out);

  [[nodiscard]] Result<void> Begin();

  /// Writes the current row of `rows`.
  [[nodiscard]] Result<void> Row(const SqlRows& rows);

  /// Ends the output. `truncated`: there are more rows, which were not requested.
  [[nodiscard]] Result<void> End(bool truncated);

 private:
  [[nodiscard]] Result<void> JsonRow(const SqlRows& rows);
  [[nodiscard]] Result<void> CsvRow(const SqlRows& rows);

  const RowForm form_;
  const std::vector<std::string> columns_;
  Output& out_;
  Table table_;
  uint64_t written_ = 0;
};

}  // namespace ofindex
