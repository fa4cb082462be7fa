#pragma once

#include <cstdint>

#include "python/src/records/rows.h"
#include "python/src/records/source.h"

namespace ofindex::python {

// The Dataset that was opened numbers its records by ordinal. If some have gone with their shards, their ordinals stay
// free: its rows are then all ordinals, of which some have no record. The rows of a view all have one.

/// Returns true if `rows` are the ordinals of a dataset from which records have gone. O(1).
[[nodiscard]] bool HasGaps(const Source& source, const Rows& rows);

/// Returns the rows that have a record. O(1) without gaps; otherwise the first call reads the index's list of blocks.
/// Raises the exceptions of opening the columns.
[[nodiscard]] Rows PresentRows(const Source& source, const Rows& rows);

/// Returns the rows start, start + step, ..., `count` of them, without those that have no record.
[[nodiscard]] Rows SliceRows(const Source& source, const Rows& rows, uint64_t start, int64_t step, uint64_t count);

/// Returns the rows `indices`. Raises IndexError if one of them has no record.
[[nodiscard]] Rows PickRows(const Source& source, const Rows& rows, Rows::Picks indices);

}  // namespace ofindex::python
