#pragma once

#include "query/sampling/ordinal_set.h"
#include "query/selection.h"

namespace ofindex {

/// The ordinals of the records that are selected, 64 at a time.
[[nodiscard]] OrdinalSet SetOf(const Selection& selection);

}  // namespace ofindex
