#pragma once

#include "base/bytes.h"

namespace ofindex {

/// Returns the number of varints in `chunk`, a packed list; 0 if it is empty or malformed. Reads eight bytes at a time.
[[nodiscard]] uint64_t CountVarints(ByteView chunk);

}  // namespace ofindex
