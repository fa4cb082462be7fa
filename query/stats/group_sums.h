#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/chunks/chunk.h"
#include "query/stats/moments.h"

namespace ofindex {

/// Count, sum, minimum and maximum of one group's numbers in a column. Merged in block order.
struct GroupSum {
  uint64_t count = 0;
  NumberSum sum;
  Chunk::Value min = {};  ///< a number; NULL if there is none
  Chunk::Value max = {};

  void Merge(const GroupSum& later);

  /// Returns nothing if there are no numbers, or if infinities of both signs make it undefined.
  [[nodiscard]] std::optional<double> mean() const;
};

/// Sums the numbers in `chunk` by group: record r is in group `number[r]` of `groups`. Takes only the records whose
/// bits are set in `records`, each of which is present in the chunk. NaN and bytes are skipped. Not for lists.
[[nodiscard]] std::vector<GroupSum> SumByGroup(const Chunk& chunk, std::span<const uint32_t> number, size_t groups,
                                               std::span<const uint64_t> records);

}  // namespace ofindex
