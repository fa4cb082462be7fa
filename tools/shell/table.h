#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/shell/output.h"
#include "tools/terminal/table_layout.h"

namespace ofindex {

/// Rows of text in aligned columns; see TableLayout.
class Table {
 public:
  explicit Table(TableRow header) : rows_{std::move(header)} {}

  /// Adds a row, which has as many cells as the header.
  void Add(TableRow cells) { rows_.push_back(std::move(cells)); }

  /// Prints the table. If standard output is a terminal, cells are cut to fit its width; otherwise nothing is cut.
  [[nodiscard]] Result<void> Print(Output& out) const;

  /// Prints the table in lines of at most `width` columns; nothing: of any width.
  [[nodiscard]] Result<void> Print(Output& out, std::optional<size_t> width) const;

 private:
  std::vector<TableRow> rows_;  // the header first
};

}  // namespace ofindex
