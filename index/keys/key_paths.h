#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// What follows the path of an index in those of its keys: "-key-" and the name of the feature.
inline constexpr std::string_view kKeySuffix = "-key-";

/// Returns the path of the key by feature `name` of the index at `index`. Bytes that are not safe in file names are
/// written %XX; a long name is cut, and continued by its hash.
[[nodiscard]] std::string KeyPathOf(const std::string& index, std::string_view name);

/// Returns the paths of the files next to `index` that are keys by name and by content, in byte order. Whether they
/// belong to the index is not checked. Errors: kIo if the folder cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> KeyFilesOf(const std::string& index);

/// Returns true if the file at `path` begins like a key; also if it is empty or all zeros, as a power cut leaves it.
/// Errors: kIo if it cannot be read.
[[nodiscard]] Result<bool> IsKeyFile(const std::string& path);

}  // namespace ofindex
