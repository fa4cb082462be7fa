#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "index/chunks/chunk.h"
#include "index/columns/column.h"
#include "query/stats/block_counts.h"
#include "query/stats/moments.h"

namespace ofindex {

/// Lengths of bytes values, or of lists.
struct Lengths {
  uint64_t count = 0;
  uint64_t min = 0;
  uint64_t max = 0;
  uint64_t sum = 0;

  void Add(uint64_t length, uint64_t times) { Merge({times, length, length, length * times}); }

  void Merge(const Lengths& other) {
    if (other.count == 0) return;
    min = count == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    count += other.count;
    sum += other.sum;
  }

  [[nodiscard]] double mean() const { return static_cast<double>(sum) / static_cast<double>(count); }
};

/// The least and the greatest value in SQLite's order; NULL while there is none.
struct Extremes {
  ColumnValue min;
  ColumnValue max;

  void Take(const Chunk::Value& value);
};

/// The least and the greatest finite number, integers and reals apart: the ends of histograms.
struct NumberRanges {
  int64_t min_integer = std::numeric_limits<int64_t>::max();
  int64_t greatest_integer = std::numeric_limits<int64_t>::min();
  double min_real = std::numeric_limits<double>::infinity();
  double greatest_real = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool has_integers() const { return min_integer <= greatest_integer; }
  [[nodiscard]] bool has_reals() const { return min_real <= greatest_real; }
};

/// The summary of a column in one chunk, or in all chunks so far, without the distinct values, which ValueCounts keeps.
/// A value type; merged in block order.
struct ColumnSummary {
  uint64_t rows = 0;
  uint64_t nulls = 0;  ///< records without a value or list; excludes NaN
  uint64_t nans = 0;
  uint64_t strings = 0;
  Moments moments;
  Extremes extremes;
  NumberRanges numbers;
  Lengths lengths;  ///< of bytes values
  Lengths lists;    ///< values of each list

  ColumnSummary() = default;
  explicit ColumnSummary(const BlockCounts& block);

  void Merge(const ColumnSummary& later);
};

}  // namespace ofindex
