#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/stats/stats.h"

namespace ofindex {

/// Characters of a value that statistics show.
inline constexpr size_t kShownValue = 32;

/// Formats a number for people: six significant digits; "-" if there is none.
[[nodiscard]] std::string Rounded(double value);
[[nodiscard]] std::string Rounded(const std::optional<double>& value);

/// Returns the text of an edge of a bin.
[[nodiscard]] std::string EdgeText(const ColumnValue& value);

/// What is said of the values of a column: "mean", and "2.5".
struct Fact {
  std::string name;
  std::string text;
};

/// Returns what is said of the values: extremes, mean, quartiles, lengths.
[[nodiscard]] std::vector<Fact> FactsOf(const ColumnStats& stats);

/// Returns the numbers of values, NULLs and distinct values: "150 values", "3 NULL (2 absent, 1 empty)".
[[nodiscard]] std::vector<std::string> CountsOf(const ColumnStats& stats);

/// A count with its name, and a bar proportional to its share.
struct BarRow {
  std::string label;
  uint64_t count = 0;
};

[[nodiscard]] std::vector<BarRow> HistogramRows(const ColumnStats& stats);
[[nodiscard]] std::vector<BarRow> TopRows(const ColumnStats& stats);

/// Returns true if the most frequent values are all values, so that a histogram says nothing more.
[[nodiscard]] inline bool TopHasAll(const ColumnStats& stats) {
  return stats.distinct_is_exact && stats.top.size() == stats.distinct;
}

}  // namespace ofindex
