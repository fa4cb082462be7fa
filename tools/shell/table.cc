#include "tools/shell/table.h"

#include <algorithm>

namespace ofindex {
namespace {

// Returns the number of UTF-8 characters; each takes one place on a terminal.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789,.-") == std::string::npos;
}

}  // namespace

Result<void> Table::Print(Output& out) const {
  const size_t columns = rows_.front().size();
  std::vector<size_t> widths(columns, 0);
  std::vector<bool> right(columns, rows_.size() > 1);
  right.back() = false;
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], Width(rows_[r][c]));
      if (r > 0 && !IsNumber(rows_[r][c])) right[c] = false;
    }
  }
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - Width(row[c]), ' ');
      const bool last = c + 1 == columns;
      line += right[c] ? padding + row[c] : last ? row[c] : row[c] + padding;
      if (!last) line += "  ";
    }
    OFINDEX_TRY(out.Line(line));
  }
  return {};
}

}  // namespace ofindex
