#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ofindex {

/// Returns a note for each set of numbered shards, such as train-00003-of-00100, of which `missing` names some: one
/// line, however many they are. `shown` returns the name to print for a path.
[[nodiscard]] std::vector<std::string> NotesOnMissing(const std::vector<std::string>& missing,
                                                      const std::function<std::string(const std::string&)>& shown);

}  // namespace ofindex
