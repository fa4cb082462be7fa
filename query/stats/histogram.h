#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/columns/column.h"
#include "query/stats/block_counts.h"

namespace ofindex {

/// How many numbers lie in [begin, end); of the last bin in [begin, end].
struct HistogramBin {
  ColumnValue begin;
  ColumnValue end;
  uint64_t count = 0;
};

/// Numbers counted in bins of equal width, the first of which begins at the least and the last of which ends at the
/// greatest. Infinities are in none. Not thread-safe.
class Histogram {
 public:
  /// Of integers in [min, max] alone: edges are integers, and there are fewer bins than `most` where it goes evenly.
  /// The last bin may be narrower.
  Histogram(int64_t min, int64_t max, size_t most);

  /// Of any numbers; `min` and `max` are finite. One bin if they are equal.
  Histogram(double min, double max, size_t most);

  void Add(int64_t value, uint64_t count);
  void Add(double value, uint64_t count);

  [[nodiscard]] std::vector<HistogramBin> bins() const;

 private:
  [[nodiscard]] size_t BinOf(long double value) const;

  bool whole_;
  std::vector<long double> edges_;  // ascending, distinct, one more than bins unless there is one value alone
  std::vector<uint64_t> counts_;
};

}  // namespace ofindex
