#pragma once

#include "base/bytes.h"

namespace ofindex {

/// The number of varints that `chunk`, a packed list, holds; 0 if it is empty or malformed. Reads eight bytes at a
/// time.
[[nodiscard]] uint64_t CountVarints(ByteView chunk);

}  // namespace ofindex
