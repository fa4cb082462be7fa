#pragma once

#include "fuzz/input.h"

namespace ofindex {

/// Writes a key with chosen entries, and looks values up in it: exactly those records of the entries are found that
/// have the value.
void CheckKeyLookup(FuzzInput& input);

}  // namespace ofindex
