#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Returns whether there is something at `path`, as far as its folders can be read.
[[nodiscard]] bool PathExists(const std::string& path);

/// Returns whether there is something at `path`, or an index named after it next to it.
[[nodiscard]] bool IsKnown(const std::string& path);

/// Returns the paths that `path`, which names nothing, may be a misspelling of: at most three, nearest first. Its first
/// name that is not in its folder is compared with the names there; the rest of the path stays. Data without files, of
/// which only the index is left, count as there. Reads at most one folder per suggestion and its first 10,000 names.
[[nodiscard]] std::vector<std::string> NearestPaths(const std::string& path);

/// Returns the error for an argument that names nothing: kUsage, with errno and the nearest paths.
[[nodiscard]] Error NoSuchPath(const std::string& path);

/// Returns the error for `name`, an index or data, of which there is no index at any of `places`: kNotFound. If there
/// are no such data either, says so, with the nearest paths; otherwise the hint is the command that builds the index.
[[nodiscard]] Error NoIndex(const std::string& name, const std::vector<std::string>& places);

/// Returns `path` as one word of a shell that no command takes for an option or a list: with quotes if it needs them.
/// Returns `otherwise` if the path cannot be printed as it is.
[[nodiscard]] std::string PathWord(const std::string& path, const std::string& otherwise);

}  // namespace ofindex
