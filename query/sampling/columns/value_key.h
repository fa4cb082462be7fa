#pragma once

#include <cstdint>

#include "index/chunks/chunk.h"

namespace ofindex {

/// Returns a key that depends on the value only: values that are equal in SQL, 1 and 1.0 among them, have equal keys.
/// Frozen. The algorithm: SampleKey(XXH3 of 64 bits, class) of the 8 little-endian bytes of the int64 that a number
/// equals (class 1), or of its double if it equals none (2), or of the bytes of TEXT (3) or BLOB (4); SampleKey(0, 0)
/// for NULL.
[[nodiscard]] uint64_t ValueKey(const Chunk::Value& value);

}  // namespace ofindex
