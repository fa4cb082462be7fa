#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/columns/column.h"
#include "query/stats/block_counts.h"

namespace ofindex {

/// The count of numbers in [begin, end); in [begin, end] for the last bin.
struct HistogramBin {
  ColumnValue begin;
  ColumnValue end;
  uint64_t count = 0;
};

/// Counts of numbers in bins of equal width; the first begins at the minimum, the last ends at the maximum. Infinities
/// are in no bin. Not thread-safe.
class Histogram {
 public:
  /// For integers in [min, max] only: edges are integers, so there may be fewer than `limit` bins, and the last bin may
  /// be narrower.
  Histogram(int64_t min, int64_t max, size_t limit);

  /// For any numbers; `min` and `max` are finite. One bin if they are equal.
  Histogram(double min, double max, size_t limit);

  void Add(int64_t value, uint64_t count);
  void Add(double value, uint64_t count);

  [[nodiscard]] std::vector<HistogramBin> bins() const;

 private:
  [[nodiscard]] size_t BinOf(long double value) const;

  bool whole_;
  std::vector<long double> edges_;  // ascending, distinct; one more than bins, or one edge if all values are equal
  std::vector<uint64_t> counts_;
};

}  // namespace ofindex
