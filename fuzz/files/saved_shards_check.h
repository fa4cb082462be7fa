#pragma once

#include "fuzz/input.h"

namespace ofindex {

/// Opens the file of a killed build with forged entries, under correct checksums: every shard that is kept can be read,
/// and a shard that is added is found again.
void CheckSavedShards(FuzzInput& input);

}  // namespace ofindex
