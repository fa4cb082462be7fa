#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/sql/sql_session.h"
#include "tools/rows/row_table.h"
#include "tools/shell/output.h"

namespace ofindex {

/// The forms of written rows.
enum class RowForm {
  kTable,      ///< aligned columns, for people: what moves a cursor is shown as \xNN; see RowTable
  kLine,       ///< a line for each value, and an empty line between rows, for people
  kJson,       ///< one document
  kJsonLines,  ///< an object per line
  kCsv,        ///< RFC 4180 with LF as the line end, and a header
  kCsvRows,    ///< the same without the header
};

/// The form, and the width of lines in a table; nothing: lines are as long as their values.
struct RowStyle {
  RowForm form = RowForm::kTable;
  std::optional<size_t> width = std::nullopt;
};

/// Writes the rows of one statement, as they arrive, except those of a table that is fitted to a width. Columns of the
/// same name get the suffixes _2, _3 and so on. Not thread-safe.
class RowWriter {
 public:
  RowWriter(RowStyle style, const std::vector<std::string>& columns, Output& out);

  [[nodiscard]] Result<void> Begin();

  /// Writes the current row of `rows`.
  [[nodiscard]] Result<void> Row(const SqlRows& rows);

  /// Ends the output. `truncated`: there are more rows, which were not requested.
  [[nodiscard]] Result<void> End(bool truncated);

  /// Returns how many columns a table had no place for. Valid after End.
  [[nodiscard]] size_t columns_left_out() const { return table_.columns_left_out(); }

 private:
  [[nodiscard]] Result<void> LineRow(const SqlRows& rows, bool first);
  [[nodiscard]] Result<void> JsonRow(const SqlRows& rows);
  [[nodiscard]] Result<void> CsvRow(const SqlRows& rows);

  const RowForm form_;
  const std::vector<std::string> columns_;
  Output& out_;
  RowTable table_;
  std::vector<std::string> names_;  // of lines
  uint64_t written_ = 0;
};

}  // namespace ofindex
