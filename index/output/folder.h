#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Returns the names in `folder`, in natural order. Errors: kIo if the folder does not exist or cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(const std::string& folder);

/// Errors: kIo if the folder that `path` is to be written into exists, but cannot be listed: its other contents would
/// be unknown, and SyncDirectoryOf would fail after the file has its name.
[[nodiscard]] Result<void> CheckFolderOf(const std::string& path);

}  // namespace ofindex
