#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace ofindex {

/// Mode and ownership of a file. A value type.
struct FileAccess {
  uid_t user;
  gid_t group;
  mode_t mode;
};

/// Returns the access of the file at `path`, following links; nullopt if there is none.
[[nodiscard]] std::optional<FileAccess> AccessOf(const std::string& path);

/// Gives the open file `fd`, called `path` in messages, the access of the file that it replaces. Sets owner and group
/// as far as the system allows; rights of the old group are not given to another group. Errors: kIo.
[[nodiscard]] Result<void> GiveAccess(int fd, const std::string& path, const FileAccess& access);

/// Returns true if both describe the same file.
[[nodiscard]] inline bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Returns why a file with these facts was not left by a killed process of this user, such as "a file of another user";
/// null if only such a process can have left it.
[[nodiscard]] const char* WhyNotOurs(const struct stat& info);

/// Returns true if `path` still names the open file or folder `fd`, not following links: another process may have
/// renamed or removed it. Errors: kIo.
[[nodiscard]] Result<bool> IsStillAt(int fd, const std::string& path);

/// Renames `from` to `to`, which must not exist. Returns 0 or an errno, which is EEXIST if something is at `to`.
[[nodiscard]] int RenameToNew(const std::string& from, const std::string& to);

/// Returns true for errno values that mean that the file system does not support the operation here, rather than that
/// it failed.
[[nodiscard]] bool IsUnsupported(int error);

}  // namespace ofindex
