#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Rows of text in columns that line up. A column whose every cell is a number is flush right, the last column is
/// flush left and as wide as it likes.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

  /// Adds a row of as many cells as the header has.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  [[nodiscard]] Result<void> Print(Output& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace ofindex
