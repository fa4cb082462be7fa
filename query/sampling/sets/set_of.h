#pragma once

#include "query/filter/selection.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

/// The ordinals of the records that are selected, 64 at a time.
[[nodiscard]] OrdinalSet SetOf(const Selection& selection);

}  // namespace ofindex
