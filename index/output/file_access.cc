#include "index/output/file_access.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace ofindex {
namespace {

constexpr mode_t kPermissions = 0777;

}  // namespace

std::optional<FileAccess> AccessOf(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileAccess{.user = info.st_uid, .group = info.st_gid, .mode = info.st_mode & kPermissions};
}

Result<void> GiveAccess(int fd, const std::string& path, const FileAccess& access) {
  // Only root can change the owner; others can set only a group that they belong to.
  if (::fchown(fd, access.user, access.group) != 0) {
    static_cast<void>(::fchown(fd, static_cast<uid_t>(-1), access.group) != 0);
  }
  struct stat now {};
  if (::fstat(fd, &now) != 0) return tl::unexpected(SystemError(path, "cannot stat", errno));
  mode_t mode = access.mode;
  if (now.st_gid != access.group) mode &= ~static_cast<mode_t>(S_IRWXG) | (mode & S_IRWXO) << 3;
  if (::fchmod(fd, mode) == 0) return {};
  return tl::unexpected(SystemError(path, "cannot set the mode", errno));
}

const char* WhyNotOurs(const struct stat& info) {
  if (info.st_nlink > 1) return "a file with several names";
  if (info.st_uid != ::geteuid()) return "a file of another user";
  return S_ISREG(info.st_mode) ? nullptr : "not a regular file";
}

Result<bool> IsStillAt(int fd, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  if (::fstat(fd, &ours) == 0 && ::lstat(path.c_str(), &named) == 0) return IsSameFile(ours, named);
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return tl::unexpected(SystemError(path, "cannot stat", errno));
}

int RenameToNew(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (!IsUnsupported(errno)) return errno;
  // For file systems without the flag.
  struct stat there {};
  if (::lstat(to.c_str(), &there) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool IsUnsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EXDEV || error == EBUSY ||
         error == EPERM || error == EACCES || error == EROFS || error == EMLINK;
}

}  // namespace ofindex
