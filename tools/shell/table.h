#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/shell/output.h"

namespace ofindex {

/// Rows of text in aligned columns. A column whose cells are all numbers is right-aligned; the last column is
/// left-aligned and has no maximum width.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

  /// Adds a row, which has as many cells as the header.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  [[nodiscard]] Result<void> Print(Output& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace ofindex
