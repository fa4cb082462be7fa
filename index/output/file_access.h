#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace ofindex {

/// Who may do what with a file. A value.
struct FileAccess {
  uid_t user;
  gid_t group;
  mode_t mode;
};

/// The access of the file at `path`, links followed; nullopt if there is none.
[[nodiscard]] std::optional<FileAccess> AccessOf(const std::string& path);

/// Gives the open file `fd`, called `path` in messages, the access of the file that it takes the place of. The owner
/// and the group as far as the system allows; rights of an old group are none of another's. Errors: kIo.
[[nodiscard]] Result<void> GiveAccess(int fd, const std::string& path, const FileAccess& access);

/// True if both are facts of one file.
[[nodiscard]] inline bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// True if `path` is still a name of the open file or folder `fd`, links not followed: another process may have renamed
/// or removed it.
[[nodiscard]] bool IsStillAt(int fd, const std::string& path);

/// Renames `from` to `to`, where nothing is. Returns 0 or an errno: EEXIST  something is at `to`.
[[nodiscard]] int RenameToNew(const std::string& from, const std::string& to);

/// True of the errno values that say that the file system cannot do this here, rather than that it went wrong.
[[nodiscard]] bool CannotHere(int error);

}  // namespace ofindex
