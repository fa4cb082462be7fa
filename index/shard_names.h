#pragma once

#include <string>
#include <vector>

namespace ofindex {

/// The shards that sets named NAME-SSSSS-of-NNNNN should have and that are not among `paths`, in order. At most 1,000
/// are listed of each set, so that a name cannot ask for memory.
[[nodiscard]] std::vector<std::string> MissingOfSets(const std::vector<std::string>& paths);

}  // namespace ofindex
