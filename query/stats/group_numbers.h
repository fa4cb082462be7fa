#pragma once

#include <cstdint>
#include <vector>

#include "index/chunks/chunk.h"

namespace ofindex {

/// The groups that the records of one chunk are in, by their value: NULL, and NaN with it, is a group; equal numbers
/// are one. Groups have numbers from 0 without many gaps, so that what is summed of each fits arrays.
struct GroupNumbers {
  std::vector<uint32_t> number;      ///< of each record's group
  std::vector<Chunk::Value> values;  ///< of each group, in no order; some may have no record. Views live as the chunk
};

/// Not for lists. One look into an array a record where integers take 16 bits or less and where values are bytes; all
/// others are sorted.
[[nodiscard]] GroupNumbers NumberGroups(const Chunk& chunk);

}  // namespace ofindex
