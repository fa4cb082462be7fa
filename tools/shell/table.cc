#include "tools/shell/table.h"

#include <unistd.h>

#include "base/text.h"
#include "tools/terminal/terminal.h"

namespace ofindex {

Result<void> Table::Print(Output& out) const { return Print(out, TerminalWidth(STDOUT_FILENO)); }

Result<void> Table::Print(Output& out, std::optional<size_t> width) const {
  const TableLayout layout(rows_, width);
  for (const TableRow& row : rows_) OFINDEX_TRY(out.Line(layout.Line(row)));
  if (layout.left_out() == 0) return {};
  return out.Line(StrCat("(", Counted(layout.left_out(), "more column"), ")"));
}

}  // namespace ofindex
