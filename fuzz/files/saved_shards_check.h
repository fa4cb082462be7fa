#pragma once

#include "fuzz/input.h"

namespace ofindex {

/// Takes up the file of a killed build whose entries are anything, under correct checksums: what it has can be read, or
/// is forgotten, and what is added is found again.
void CheckSavedShards(FuzzInput& input);

}  // namespace ofindex
