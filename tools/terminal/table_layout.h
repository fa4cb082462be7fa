#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ofindex {

/// The cells of one row of a table, as printable text.
using TableRow = std::vector<std::string>;

/// The widths of a table's columns, and which of them are right-aligned. Immutable.
class TableLayout {
 public:
  /// Lays out `rows`, of which the first is the header, in lines of at most `width` columns; nothing: of any width. All
  /// rows have as many cells as the header. A column whose cells are all numbers is right-aligned, unless it is the
  /// last. If the rows are too wide, texts are cut, those of the widest columns first; if that does not suffice, the
  /// last columns are left out.
  TableLayout(const std::vector<TableRow>& rows, std::optional<size_t> width);

  /// Makes columns at most `width` wide. Longer cells then move the rest of their line to the right.
  void LimitPadding(size_t width);

  /// Returns `cells` as a line.
  [[nodiscard]] std::string Line(const TableRow& cells) const;

  /// Returns how many columns have no place.
  [[nodiscard]] size_t left_out() const { return columns_ - widths_.size(); }

 private:
  void Measure(const std::vector<TableRow>& rows);
  void Fit(size_t width);

  size_t columns_;
  std::vector<size_t> widths_;   // of the columns that are shown
  std::vector<size_t> numbers_;  // the width of each column's widest number
  std::vector<bool> right_;
  bool cut_ = false;
};

}  // namespace ofindex
