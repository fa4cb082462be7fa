#pragma once

#include <string>

namespace ofindex {

/// Returns true if `argument`, unless it is the name of a file, is a glob.
[[nodiscard]] bool IsGlob(const std::string& argument);

/// Returns true if the glob `pattern`, relative to `folder`, matches a file at `path`, which need not exist, or a
/// folder around it. Links among the folders that the pattern names without wildcards are followed.
[[nodiscard]] bool GlobTakes(const std::string& folder, const std::string& pattern, const std::string& path);

}  // namespace ofindex
