#pragma once

#include <cstdint>

namespace ofindex {

/// Bytes of memory that this process may use: the machine's, or the limit of its control group if that is less.
[[nodiscard]] uint64_t MemorySize();

}  // namespace ofindex
