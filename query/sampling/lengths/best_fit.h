#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ofindex {

/// The room in each of the rows into which sequences are packed.
struct RowRoom {
  uint64_t tokens = 0;            ///< no sequence is longer
  uint64_t records = UINT64_MAX;  ///< at least 1
};

/// Returns the row of each sequence, of which `lengths` are given, after packing them by best-fit decreasing.
///
/// The sequences are taken in descending order of their lengths, and in ascending order of their indices if the lengths
/// are equal. Each goes into the row with the fewest tokens left among those that have room for it; of several, into
/// the one that was opened first. If none has room, it opens a row. The rows are then numbered in the order of their
/// first sequences, those with the lowest indices. There are at most 2^32 - 1 sequences.
[[nodiscard]] std::vector<uint32_t> PackBestFit(std::span<const uint64_t> lengths, const RowRoom& room);

}  // namespace ofindex
