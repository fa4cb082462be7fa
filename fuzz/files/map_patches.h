#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/input.h"

namespace ofindex {

/// Changes a map as `input` says: a field of the header, a block, a shard or a stream, under a correct checksum; or any
/// byte.
void PatchMap(std::vector<uint8_t>& bytes, FuzzInput& input);

}  // namespace ofindex
