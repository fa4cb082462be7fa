#pragma once

#include <cstdint>

namespace ofindex {

/// Returns the bytes of memory that this process may use: the machine's memory, or the limit of its
/// control group if that is smaller.
[[nodiscard]] uint64_t MemorySize();

}  // namespace ofindex
