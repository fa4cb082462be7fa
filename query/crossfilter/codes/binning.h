#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/crossfilter/codes/bin_codes.h"

namespace ofindex {

/// Bins of about equal width for numbers in [low, high). Bin i has the numbers in [edge(i), edge(i + 1)), compared
/// exactly, integers too. Immutable.
class NumberBins {
 public:
  /// Returns the bins between these edges, whose widths may differ by rounding only: others make counting slow. Errors:
  /// kUsage unless the edges are finite, ascend, and there are 2 to kMaxBins + 1.
  [[nodiscard]] static Result<NumberBins> Between(std::vector<double> edges);

  /// Errors: kUsage unless `low` and `high` are finite, `low` is less than `high`, and there are 1 to kMaxBins bins.
  [[nodiscard]] static Result<NumberBins> Of(double low, double high, size_t bins);

  [[nodiscard]] size_t size() const { return edges_.size() - 1; }
  [[nodiscard]] double edge(size_t i) const { return edges_[i]; }  ///< i in [0, size()]

  [[nodiscard]] BinCode CodeOf(double value) const;
  [[nodiscard]] BinCode CodeOf(int64_t value) const;

  /// Returns the code of each distinct byte string of a chunk.
  [[nodiscard]] std::vector<BinCode> CodesOf(const Chunk::Strings& strings) const {
    return std::vector<BinCode>(strings.ends.size(), kOtherValue);
  }

 private:
  explicit NumberBins(std::vector<double> edges);

  std::vector<double> edges_;  // ascending; two are equal if no double is between them
  double half_low_;
  double bins_per_half_;
};

/// Some values of a column, each with a bin of its own; equal numbers are one value, as in SQL. Immutable.
class Categories {
 public:
  /// Errors: kUsage if a value is NULL or equal to another one, or if there are none, or more than kMaxBins.
  [[nodiscard]] static Result<Categories> Of(std::vector<ColumnValue> values);

  [[nodiscard]] size_t size() const { return values_.size(); }
  [[nodiscard]] const std::vector<ColumnValue>& values() const { return values_; }  ///< by bin

  [[nodiscard]] BinCode CodeOf(double value) const;
  [[nodiscard]] BinCode CodeOf(int64_t value) const;
  [[nodiscard]] std::vector<BinCode> CodesOf(const Chunk::Strings& strings) const;

 private:
  explicit Categories(std::vector<ColumnValue> values);

  std::vector<ColumnValue> values_;
  std::vector<std::pair<int64_t, BinCode>> integers_;  // ascending; reals that equal an integer included
  std::vector<std::pair<double, BinCode>> reals_;      // ascending, the others
};

/// How the values of a column are divided into bins.
using Binning = std::variant<NumberBins, Categories>;

[[nodiscard]] inline size_t BinsOf(const Binning& binning) {
  return std::visit([](const auto& bins) { return bins.size(); }, binning);
}

}  // namespace ofindex
