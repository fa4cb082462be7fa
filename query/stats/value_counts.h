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

/// A value and how many there are of it.
struct ValueCount {
  ColumnValue value;
  uint64_t count = 0;

  friend bool operator==(const ValueCount&, const ValueCount&) = default;
};

/// How often each value of a column is there, exactly as long as there are few different ones. When they get too many,
/// the rare ones are forgotten, and those that stay are candidates for the most frequent ones: what was forgotten is
/// there at most error() times. (J. Misra, D. Gries: Finding repeated elements, 1982.) Not thread-safe.
class ValueCounts {
 public:
  static constexpr size_t kMostDistinct = 1'000'000;
  static constexpr uint64_t kMostBytes = uint64_t{256} << 20;  // of texts; numbers take less

  /// Adds the values of a block. What is forgotten depends on the order of blocks.
  void Add(const BlockCounts& block);

  /// Ends the adding.
  void Settle();

  [[nodiscard]] bool exact() const { return error_ == 0; }
  [[nodiscard]] uint64_t error() const { return error_; }

  /// There are so many distinct values or more.
  [[nodiscard]] size_t least_distinct() const { return std::max(most_held_, size()); }

  /// Distinct values held.
  [[nodiscard]] size_t size() const { return integers_.all().size() + reals_.all().size() + texts_.all().size(); }

  /// Of candidates alone: sets their counts to 0, and counts them again in one block after the other.
  void Zero();
  void Recount(const BlockCounts& block);

  [[nodiscard]] const std::vector<Count<int64_t>>& integers() const { return integers_.all(); }
  [[nodiscard]] const std::vector<Count<double>>& reals() const { return reals_.all(); }

  /// The `most` most frequent values, by count descending, then in SQLite's order. Of candidates only those that are
  /// surely among them, so it may be fewer.
  [[nodiscard]] std::vector<ValueCount> Top(size_t most) const;

 private:
  void Forget();

  SortedCounts<int64_t> integers_;
  SortedCounts<double> reals_;
  SortedCounts<std::string> texts_;
  uint64_t error_ = 0;
  size_t most_held_ = 0;
};

}  // namespace ofindex
