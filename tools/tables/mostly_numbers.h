#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/packing/feature_names.h"

namespace ofindex {

/// Finds columns of text in which most values are numbers, such as one with `n/a` in place of a number: they compare
/// and sort as text. Values such as 007, dates and times are meant as text. Not thread-safe.
class MostlyNumbers {
 public:
  /// Adds a value that is not empty, of the row that begins at `line`.
  void Add(std::string_view column, std::string_view value, uint64_t line);

  /// Returns a note for each such column of `table`, with its first value that is not a number, and what to do.
  [[nodiscard]] std::vector<std::string> Notes(std::string_view table) const;

 private:
  struct Values {
    uint64_t numbers = 0;
    uint64_t others = 0;
    bool is_code = false;     // some value has digits, and is no number
    uint64_t line = 0;        // of the first other
    std::string first = {};   // the first bytes of it
    bool has_others = false;  // that are not `first`
  };

  FeatureNames names_;
  std::vector<Values> values_;
};

}  // namespace ofindex
