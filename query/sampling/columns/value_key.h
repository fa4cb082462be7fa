#pragma once

#include <cstdint>

#include "index/chunks/chunk.h"

namespace ofindex {

/// A key of a value that depends on nothing else: values that are equal in SQL have the same, 1 and 1.0 among them.
/// Frozen. The law: SampleKey(XXH3 of 64 bits, class) of the 8 little-endian bytes of the int64 that a number is worth
/// (class 1), or of those of its double where it is worth none (2), or of the bytes of TEXT (3) or BLOB (4);
/// SampleKey(0, 0) for NULL.
[[nodiscard]] uint64_t ValueKey(const Chunk::Value& value);

}  // namespace ofindex
