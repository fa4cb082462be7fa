#pragma once

#include "fuzz/input.h"

namespace ofindex {

/// Writes a key whose entries lead to any records, and looks values up in it: only records that have the value are
/// found, and all of those among its entries.
void CheckKeyLookup(FuzzInput& input);

}  // namespace ofindex
