#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/sql/sql_session.h"
#include "tools/shell/output.h"
#include "tools/shell/table.h"

namespace ofindex {

/// How rows of values are written. All but the table are written as they come.
enum class RowForm {
  kTable,      ///< columns that line up, for people: what is long is cut, and what moves a cursor is shown as \xNN
  kJson,       ///< one document
  kJsonLines,  ///< an object a line
  kCsv,        ///< RFC 4180, with a header
};

/// Writes the rows of one statement. Columns of one name are told apart by _2, _3 and so on. Not thread-safe.
class RowWriter {
 public:
  RowWriter(RowForm form, const std::vector<std::string>& columns, Output& out);

  [[nodiscard]] Result<void> Begin();

  /// Writes the row that `rows` is at.
  [[nodiscard]] Result<void> Row(const SqlRows& rows);

  /// `truncated`: there are more rows, which nobody asked for.
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
