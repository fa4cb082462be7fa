#pragma once

#include <cstdint>

#include "query/columns/column_store.h"
#include "query/stats/picked_chunk.h"

namespace ofindex {

/// Why records are NULL in a column that holds the value of a feature if there is exactly one. A value type.
struct NullReasons {
  uint64_t absent = 0;   ///< records that do not have the feature
  uint64_t empty = 0;    ///< records that have it without a value
  uint64_t several = 0;  ///< records with more than one value

  friend bool operator==(const NullReasons&, const NullReasons&) = default;
};

/// Returns true if `column` holds single values of a feature, or their sizes: only then do its NULLs have such reasons.
[[nodiscard]] bool HasNullReasons(const Column& column);

/// Returns the reasons in one block; `counts` is the chunk of the feature's ColumnRole::kCount.
[[nodiscard]] NullReasons ReasonsIn(const PickedChunk& counts);

}  // namespace ofindex
