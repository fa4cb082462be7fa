#include "tools/rows/row_table.h"

#include <algorithm>

#include "tools/rows/row_value.h"
#include "tools/shell/value_text.h"

namespace ofindex {
namespace {

constexpr size_t kMeasuredRows = 1000;
constexpr size_t kMeasuredBytes = 1 << 20;
constexpr size_t kMaxPadding = 200;    // a column of longer values is not aligned
constexpr size_t kLeastPerColumn = 3;  // columns of the terminal: one character and the gap
constexpr size_t kLeastCell = 8;       // the smallest limit of ShownValue

}  // namespace

RowTable::RowTable(const std::vector<std::string>& columns, std::optional<size_t> width)
    : width_(width), kept_columns_(columns.size()) {
  if (width_) kept_columns_ = std::min(kept_columns_, *width_ / kLeastPerColumn + 1);
  left_out_ = columns.size() - kept_columns_;
  TableRow header;
  const size_t limit = width_ ? std::max(*width_, kLeastCell) : kUncut;
  for (size_t c = 0; c < kept_columns_; ++c) header.push_back(ShownText(columns[c], limit));
  kept_.push_back(std::move(header));
}

Result<void> RowTable::Row(const SqlRows& rows, Output& out) {
  TableRow cells;
  const size_t limit = width_ ? std::max(*width_, kLeastCell) : kUncut;
  for (size_t c = 0; c < kept_columns_; ++c) cells.push_back(ShownValue(RowValue(rows, c), limit));
  if (layout_) return out.Line(layout_->Line(cells));
  for (const std::string& cell : cells) kept_bytes_ += cell.size();
  kept_.push_back(std::move(cells));
  const bool measured = kept_.size() > kMeasuredRows || kept_bytes_ > kMeasuredBytes;
  return !width_ && measured ? WriteKept(out) : Result<void>();
}

Result<void> RowTable::End(Output& out) { return layout_ ? Result<void>() : WriteKept(out); }

Result<void> RowTable::WriteKept(Output& out) {
  layout_.emplace(kept_, width_);
  if (!width_) layout_->LimitPadding(kMaxPadding);
  left_out_ += layout_->left_out();
  for (const TableRow& row : kept_) OFINDEX_TRY(out.Line(layout_->Line(row)));
  kept_.clear();
  return {};
}

}  // namespace ofindex
