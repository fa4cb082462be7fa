#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Returns the names of the features by which the index at `index` has keys, in byte order. Keys of another build of
/// the index count as well; damaged ones do not. Errors: kIo if the folder cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> KeyNamesOf(const std::string& index);

/// Removes the keys next to `index` that belong to another build than the one with identity `binding`, and damaged
/// ones, and what killed processes left of them. Returns the names of their features, in byte order; damaged keys have
/// the names of their files. What cannot be removed stays: nobody takes it for a key of the index. Errors: kIo if the
/// folder cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> RemoveStaleKeys(const std::string& index, uint64_t binding);

}  // namespace ofindex
