#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "query/stats/picked_chunk.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// The distinct values of one chunk and how often each counts: of records, or of all elements of lists. A value; all
/// that statistics say of a chunk is computed from it, in the order of values, so it is the same every time.
struct BlockCounts {
  std::vector<Count<int64_t>> integers;  ///< ascending
  std::vector<Count<double>> reals;      ///< ascending, with 0.0 for -0.0
  std::vector<uint64_t> texts;           ///< by number in Chunk::texts(); 0 where it is not used
  uint64_t nans = 0;
  uint64_t nulls = 0;  ///< records without a value, or list
  PickedChunk picked;

  /// Calls `body(bytes, count)` for each distinct text.
  template <typename Body>
  void ForEachText(Body body) const {
    for (uint32_t n = 0; n < texts.size(); ++n) {
      if (texts[n] != 0) body(picked.chunk->texts()[n], texts[n]);
    }
  }
};

/// Counts the values of `picked`. With `mixed`, reals that are worth an integer count as that integer: for columns that
/// have both.
[[nodiscard]] BlockCounts CountValues(PickedChunk picked, bool mixed);

}  // namespace ofindex
