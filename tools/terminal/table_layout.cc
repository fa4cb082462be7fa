#include "tools/terminal/table_layout.h"

#include <algorithm>
#include <numeric>

#include "tools/terminal/text_width.h"

namespace ofindex {
namespace {

constexpr size_t kGap = 2;              // spaces between columns
constexpr size_t kLeastTextWidth = 8;   // to which texts are cut before columns are left out
constexpr size_t kMaxNumberWidth = 24;  // up to which numbers are never cut

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789,.-") == std::string::npos;
}

// Returns the largest width for which the sum of `widths`, each at most that wide but at least `least`, is within
// `room`.
size_t CommonLimit(const std::vector<size_t>& widths, const std::vector<size_t>& least, size_t room) {
  size_t low = 0;
  size_t high = room;
  while (low < high) {
    const size_t limit = (low + high + 1) / 2;
    size_t sum = 0;
    for (size_t c = 0; c < widths.size(); ++c) sum += std::max(least[c], std::min(widths[c], limit));
    if (sum <= room) {
      low = limit;
    } else {
      high = limit - 1;
    }
  }
  return low;
}

}  // namespace

TableLayout::TableLayout(const std::vector<TableRow>& rows, std::optional<size_t> width)
    : columns_(rows.front().size()) {
  Measure(rows);
  if (width) Fit(*width);
}

void TableLayout::Measure(const std::vector<TableRow>& rows) {
  widths_.assign(columns_, 0);
  numbers_.assign(columns_, 0);
  right_.assign(columns_, rows.size() > 1);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < columns_; ++c) {
      const std::string& cell = rows[r][c];
      widths_[c] = std::max(widths_[c], ShownWidth(cell));
      if (r == 0) continue;
      const bool number = IsNumber(cell);
      if (number) numbers_[c] = std::max(numbers_[c], std::min(cell.size(), kMaxNumberWidth));
      right_[c] = right_[c] && number;
    }
  }
}

void TableLayout::Fit(size_t width) {
  std::vector<size_t> least;
  size_t used = 0;
  for (size_t c = 0; c < columns_; ++c) {
    const size_t narrowest = std::max(numbers_[c], std::min(widths_[c], kLeastTextWidth));
    used += narrowest + (c == 0 ? 0 : kGap);
    if (c > 0 && used > width) break;
    least.push_back(c == 0 ? std::min(narrowest, width) : narrowest);
  }
  widths_.resize(least.size());
  const size_t room = width - std::min(width, kGap * (least.size() - 1));
  cut_ = std::accumulate(widths_.begin(), widths_.end(), size_t{0}) > room;
  if (!cut_) return;
  const size_t limit = CommonLimit(widths_, least, room);
  for (size_t c = 0; c < widths_.size(); ++c) widths_[c] = std::max(least[c], std::min(widths_[c], limit));
  // Columns that were cut share the few places that are left.
  size_t rest = room - std::min(room, std::accumulate(widths_.begin(), widths_.end(), size_t{0}));
  for (size_t c = 0; c < widths_.size() && rest > 0; ++c) {
    if (widths_[c] != limit) continue;
    ++widths_[c];
    --rest;
  }
}

void TableLayout::LimitPadding(size_t width) {
  for (size_t& column : widths_) column = std::min(column, width);
}

std::string TableLayout::Line(const TableRow& cells) const {
  std::string line;
  for (size_t c = 0; c < widths_.size(); ++c) {
    const bool last = c + 1 == widths_.size();
    const std::string cell = cut_ ? CutToWidth(cells[c], widths_[c]) : cells[c];
    const size_t shown = ShownWidth(cell);
    const std::string padding(widths_[c] - std::min(widths_[c], shown), ' ');
    line += right_[c] && !last ? padding + cell : last ? cell : cell + padding;
    if (!last) line.append(kGap, ' ');
  }
  return line;
}

}  // namespace ofindex
