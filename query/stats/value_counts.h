#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "index/columns/column.h"
#include "query/stats/block_counts.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// A value and its count.
struct ValueCount {
  ColumnValue value;
  uint64_t count = 0;

  friend bool operator==(const ValueCount&, const ValueCount&) = default;
};

/// Counts of a column's values, exact while few are distinct. When there are too many, the rare ones are dropped, and
/// the rest are candidates for the most frequent ones: a dropped value occurs at most error() times. (J. Misra, D.
/// Gries: Finding repeated elements, 1982.) Not thread-safe.
class ValueCounts {
 public:
  static constexpr size_t kMaxDistinct = 1'000'000;
  static constexpr uint64_t kMaxBytes = uint64_t{256} << 20;  // of strings; numbers take less

  /// Adds the values of a block. The dropped values depend on the order of blocks.
  void Add(const BlockCounts& block);

  /// Must be called after the last Add().
  void Settle();

  [[nodiscard]] bool exact() const { return error_ == 0; }
  [[nodiscard]] uint64_t error() const { return error_; }

  /// A lower bound of the number of distinct values.
  [[nodiscard]] size_t min_distinct() const { return std::max(max_held_, size()); }

  /// Distinct values held.
  [[nodiscard]] size_t size() const { return integers_.all().size() + reals_.all().size() + strings_.all().size(); }

  /// Sets the counts of all candidates to 0, so that they can be counted again block by block.
  void Zero();
  void Recount(const BlockCounts& block);

  [[nodiscard]] const std::vector<Count<int64_t>>& integers() const { return integers_.all(); }
  [[nodiscard]] const std::vector<Count<double>>& reals() const { return reals_.all(); }

  /// Returns the `limit` most frequent values, by descending count, then in SQLite's order. If values were dropped,
  /// returns only those that are certainly the most frequent, which may be fewer.
  [[nodiscard]] std::vector<ValueCount> Top(size_t limit) const;

 private:
  void Forget();

  SortedCounts<int64_t> integers_;
  SortedCounts<double> reals_;
  SortedCounts<std::string> strings_;
  uint64_t error_ = 0;
  size_t max_held_ = 0;
};

}  // namespace ofindex
