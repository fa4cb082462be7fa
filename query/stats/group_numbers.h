#pragma once

#include <cstdint>
#include <vector>

#include "index/chunks/chunk.h"

namespace ofindex {

/// The groups of one chunk's records, by value: NULL, together with NaN, is a group; equal numbers are one group. Group
/// numbers start from 0 with few gaps, so that sums per group fit arrays.
struct GroupNumbers {
  std::vector<uint32_t> number;      ///< group of each record
  std::vector<Chunk::Value> values;  ///< of each group, unordered; some may have no record. Valid as long as the chunk
};

/// Assigns the records of `chunk`, which has no lists, to groups. Takes one array access per record for integers of 16
/// bits or fewer and for bytes; other numbers are hashed, and mixed kinds sorted.
[[nodiscard]] GroupNumbers NumberGroups(const Chunk& chunk);

}  // namespace ofindex
