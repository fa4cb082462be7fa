#pragma once

#include "query/filter/selection.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

/// Returns the ordinals of the selected records, 64 at a time.
[[nodiscard]] OrdinalSet SetOf(const Selection& selection);

}  // namespace ofindex
