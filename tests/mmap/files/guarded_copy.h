#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mmap/files/fault_guard.h"

namespace ofindex {

/// Copies from a map in a guarded section. Returns false if the file no longer holds the
/// bytes; `out` is then partly written.
[[nodiscard]] inline bool GuardedCopy(uint8_t* out, const uint8_t* from, size_t n) {
  return FaultGuard::Run([&] { std::memcpy(out, from, n); });
}

}  // namespace ofindex
