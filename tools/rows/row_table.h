#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/sql/sql_session.h"
#include "tools/shell/output.h"
#include "tools/terminal/table_layout.h"

namespace ofindex {

/// The rows of one statement as a table. Not thread-safe.
///
/// With a width, all rows are kept, though not the columns that certainly have no place, and cut to fit at the end.
/// Without one, values are written in full: the first thousand rows, or the first MiB, decide the widths of the
/// columns, and all further rows are written as they arrive. A longer value moves the rest of its line to the right.
class RowTable {
 public:
  RowTable(const std::vector<std::string>& columns, std::optional<size_t> width);

  /// Adds the current row of `rows`. Errors: those of Output.
  [[nodiscard]] Result<void> Row(const SqlRows& rows, Output& out);

  /// Writes what is left. Errors: those of Output.
  [[nodiscard]] Result<void> End(Output& out);

  /// Returns how many columns had no place. Valid after End.
  [[nodiscard]] size_t columns_left_out() const { return left_out_; }

 private:
  [[nodiscard]] Result<void> WriteKept(Output& out);

  const std::optional<size_t> width_;
  size_t left_out_ = 0;
  size_t kept_columns_;
  size_t kept_bytes_ = 0;
  std::vector<TableRow> kept_;         // the header first
  std::optional<TableLayout> layout_;  // once it is decided
};

}  // namespace ofindex
