#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "query/stats/picked_chunk.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// The distinct values of one chunk and their counts, over records or over all elements of lists. A value type. All
/// statistics of a chunk are computed from it, in the order of values, so they are always the same.
struct BlockCounts {
  std::vector<Count<int64_t>> integers;  ///< ascending
  std::vector<Count<double>> reals;      ///< ascending, with 0.0 for -0.0
  std::vector<uint64_t> strings;         ///< indexed as Chunk::strings(); 0 for unused ones
  uint64_t nans = 0;
  uint64_t nulls = 0;  ///< records without a value or list
  PickedChunk picked;

  /// Calls `body(bytes, count)` for each distinct text.
  template <typename Body>
  void ForEachString(Body body) const {
    for (uint32_t n = 0; n < strings.size(); ++n) {
      if (strings[n] != 0) body(picked.chunk->strings()[n], strings[n]);
    }
  }
};

/// Counts the values of `picked`. If `mixed`, reals equal to an integer count as that integer, for columns that have
/// values of both types.
[[nodiscard]] BlockCounts CountValues(PickedChunk picked, bool mixed);

}  // namespace ofindex
