#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// The names in `folder`, in natural order. Errors: kIo  it is not there, or cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(const std::string& folder);

/// Errors: kIo  the folder that `path` is to be written into is there, and the system does not let us list it: nobody
/// could say what else is in it, and SyncDirectoryOf would fail once the file has its name.
[[nodiscard]] Result<void> CheckFolderOf(const std::string& path);

}  // namespace ofindex
