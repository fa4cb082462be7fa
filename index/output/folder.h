#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Returns the names in `folder`, in natural order. Errors: kIo if the folder does not exist or cannot be listed.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(const std::string& folder);

/// Creates `folder` and those that lead to it, as far as they do not exist, and syncs the folders that get new names:
/// what is written into a folder is lost with its name. Appends those created to `made`, the innermost last.
/// Errors: kIo; `made` has those that were created before.
[[nodiscard]] Result<void> MakeFolders(const std::string& folder, std::vector<std::string>& made);

/// Checks that the folder in which `path` will be written can be listed, if the folder exists: otherwise its other
/// contents would be unknown, and SyncDirectoryOf would fail after the file has its name. Errors: kIo.
[[nodiscard]] Result<void> CheckFolderOf(const std::string& path);

}  // namespace ofindex
