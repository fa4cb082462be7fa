#include "index/output/atomic_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "index/output/atomic_file.h"
#include "index/output/file_access.h"
#include "index/output/folder.h"
#include "index/output/set_names.h"
#include "index/output/unfinished_set.h"

namespace ofindex {
namespace {

constexpr mode_t kAllModeBits = 07777;

// A descriptor of a folder, closed on destruction.
class Folder {
 public:
  explicit Folder(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Locks are advisory. A file system that cannot lock a folder cannot exchange folders either; on such a file system,
// the temporary file of each shard is locked instead.
bool IsLockedByAnother(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

// Returns true if there are attributes set by users, such as access lists. A new folder would not have them.
bool HasAttributes(int fd) {
  std::vector<char> names(65536);
  const ssize_t got = ::flistxattr(fd, names.data(), names.size());
  const std::string_view all(names.data(), got < 0 ? 0 : static_cast<size_t>(got));
  return (got < 0 && errno != ENOTSUP) || all.starts_with("user.") ||
         all.find(std::string_view("\0user.", 6)) != all.npos || all.find("system.posix_acl") != all.npos;
}

bool IsWorkingFolder(const struct stat& folder) {
  struct stat working {};
  return ::stat(".", &working) == 0 && IsSameFile(folder, working);
}

// Returns true for bind mounts too, such as container volumes, if the system reports them (Linux 5.8).
bool IsMountPoint(const std::string& folder) {
  struct statx inner {};
  struct statx outer {};
  constexpr unsigned kWanted = STATX_INO | STATX_MNT_ID;
  if (::statx(AT_FDCWD, folder.c_str(), 0, kWanted, &inner) != 0) return false;
  if (::statx(AT_FDCWD, (folder + "/..").c_str(), 0, kWanted, &outer) != 0) return false;
  if ((inner.stx_mask & outer.stx_mask & STATX_MNT_ID) != 0 && inner.stx_mnt_id != outer.stx_mnt_id) return true;
  const bool same_device = inner.stx_dev_major == outer.stx_dev_major && inner.stx_dev_minor == outer.stx_dev_minor;
  return !same_device || inner.stx_ino == outer.stx_ino;
}

std::string BesideOf(const std::string& target) { return target + std::string(kTemporarySuffix); }
std::string InsideOf(const std::string& target) { return target + "/set" + std::string(kTemporarySuffix); }

// Returns true for files that a temporary folder of `target` can hold: shards, labels, and hard links to files in the
// target.
bool CanBeOurs(int folder, const std::string& name, const std::string& target) {
  struct stat here {};
  if (::fstatat(folder, name.c_str(), &here, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(here.st_mode)) return false;
  if (name.ends_with(kTemporarySuffix) || name == kLabelsName || name == kUnfinishedName || IsPartName(name) ||
      IsNumberedTfRecord(name)) {
    return true;
  }
  struct stat there {};
  return ::lstat((target + "/" + name).c_str(), &there) == 0 && IsSameFile(here, there);
}

}  // namespace

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      beside_(other.beside_),
      exists_(other.exists_),
      mode_(other.mode_) {}

AtomicFolder& AtomicFolder::operator=(AtomicFolder&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(beside_, other.beside_);
  std::swap(exists_, other.exists_);
  std::swap(mode_, other.mode_);
  return *this;
}

AtomicFolder::~AtomicFolder() {
  if (fd_ >= 0) static_cast<void>(Remove());
  if (fd_ >= 0) ::close(fd_);
}

Result<AtomicFolder> AtomicFolder::Begin(const std::string& target) {
  struct stat info {};
  const bool exists = ::stat(target.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return tl::unexpected(SystemError(target, "cannot stat", errno));
  if (exists && IsMountPoint(target)) {
    OFINDEX_ASSIGN(AtomicFolder temporary, BeginAt(InsideOf(target), target));
    temporary.exists_ = true;
    temporary.beside_ = false;
    return temporary;
  }
  const Result<void> listed = CheckFolderOf(target);
  auto temporary = listed ? BeginAt(BesideOf(target), target) : tl::unexpected(listed.error());
  const int error = temporary ? 0 : temporary.error().system;
  const bool inside = exists && (error == EACCES || error == EPERM || error == EROFS);
  if (inside) temporary = BeginAt(InsideOf(target), target);
  if (!temporary) return temporary;
  temporary->exists_ = exists;
  temporary->beside_ = !inside;
  return temporary;
}

Result<AtomicFolder> AtomicFolder::BeginAt(const std::string& path, const std::string& target) {
  for (;;) {
    const bool is_new = ::mkdir(path.c_str(), 0777) == 0;
    if (!is_new && errno != EEXIST) return tl::unexpected(SystemError(path, "cannot create the folder", errno));
    Folder folder(path);
    if (folder.fd() < 0 && errno == ENOENT) continue;
    if (folder.fd() < 0) return tl::unexpected(SystemError(path, "cannot open the folder", errno));
    if (IsLockedByAnother(folder.fd())) {
      return Fail(ErrorCode::kLocked, StrCat(Printable(target), ": locked by another writer"),
                  "try again when it is done");
    }
    struct stat info {};
    OFINDEX_ASSIGN(const bool is_there, IsStillAt(folder.fd(), path));
    if (!is_there) continue;
    if (::fstat(folder.fd(), &info) != 0 || info.st_uid != ::geteuid()) {
      return Fail(ErrorCode::kIo,
                  StrCat(Printable(path),
                         ": a folder of another user; expected no folder, or one left by a killed process of yours"),
                  "remove it if it is not needed");
    }
    AtomicFolder temporary(target, path, folder.Release());
    temporary.mode_ = info.st_mode & kAllModeBits;
    // A folder that gives its group to new files (setgid) keeps doing so: the shards belong to that group.
    if (is_new && ::fchmod(temporary.fd_, S_IRWXU | (info.st_mode & S_ISGID)) != 0) {
      return tl::unexpected(SystemError(path, "cannot set the mode", errno));
    }
    if (is_new) return temporary;
    OFINDEX_TRY(temporary.Remove());
  }
}

void AtomicFolder::RemoveLeftover(const std::string& target) {
  for (const std::string& path : {BesideOf(target), InsideOf(target)}) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0) static_cast<void>(BeginAt(path, target));
  }
}

Result<void> AtomicFolder::Empty() {
  OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(path_));
  for (const std::string& name : names) {
    if (CanBeOurs(fd_, name, target_)) continue;
    return Fail(ErrorCode::kIo, StrCat(Printable(path_ + "/" + name), ": no writer of shards makes this file"),
                "move it to where it belongs, and remove the folder");
  }
  for (const std::string& name : names) {
    if (::unlinkat(fd_, name.c_str(), 0) == 0 || errno == ENOENT) continue;
    return tl::unexpected(SystemError(path_ + "/" + name, "cannot remove", errno));
  }
  return {};
}

// Removes the folder that now has the temporary folder's name, with its contents.
Result<void> AtomicFolder::Remove() {
  OFINDEX_ASSIGN(const bool is_there, IsStillAt(fd_, path_));
  if (!is_there) return {};
  OFINDEX_TRY(Empty());
  if (::rmdir(path_.c_str()) != 0) return tl::unexpected(SystemError(path_, "cannot remove the folder", errno));
  ::close(std::exchange(fd_, -1));
  return {};
}

// Gives each new file the access of the old one of its name or, if there is none, of the first that is replaced.
Result<void> AtomicFolder::KeepAccess(const std::set<std::string>& replaced, const std::set<std::string>& linked) {
  if (replaced.empty()) return {};
  const std::optional<FileAccess> first = AccessOf(target_ + "/" + *replaced.begin());
  OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(path_));
  for (const std::string& name : names) {
    if (linked.contains(name)) continue;
    const std::string path = path_ + "/" + name;
    const std::optional<FileAccess> old = replaced.contains(name) ? AccessOf(target_ + "/" + name) : first;
    if (!old) continue;
    OFINDEX_ASSIGN(const File file, File::OpenRead(path));
    OFINDEX_TRY(GiveAccess(file.fd(), path, *old));
  }
  return {};
}

Result<void> AtomicFolder::Publish(const std::set<std::string>& replaced, const std::set<std::string>& linked) {
  OFINDEX_TRY(KeepAccess(replaced, linked));
  if (!exists_) return Appear();
  OFINDEX_ASSIGN(const bool exchanged, Exchange(replaced));
  return exchanged ? Remove() : MoveIn(replaced);
}

Result<void> AtomicFolder::Appear() {
  if (::fchmod(fd_, mode_) != 0) return tl::unexpected(SystemError(path_, "cannot set the mode", errno));
  if (::fsync(fd_) != 0) return tl::unexpected(SystemError(path_, "cannot sync", errno));
  const int error = RenameToNew(path_, target_);
  if (error != 0) return tl::unexpected(SystemError(target_, "cannot publish", error));
  ::close(std::exchange(fd_, -1));
  return SyncDirectoryOf(target_);
}

// Returns false, with everything unchanged, if the folder cannot be exchanged as a whole.
Result<bool> AtomicFolder::Exchange(const std::set<std::string>& replaced) {
  struct stat old {};
  struct stat temporary {};
  Folder target(target_);
  if (!beside_ || target.fd() < 0 || ::fstat(target.fd(), &old) != 0 || ::fstat(fd_, &temporary) != 0) return false;
  if (IsWorkingFolder(old) || HasAttributes(target.fd()) || IsLockedByAnother(target.fd())) return false;
  if ((old.st_uid != temporary.st_uid || old.st_gid != temporary.st_gid) &&
      ::fchown(fd_, old.st_uid, old.st_gid) != 0) {
    return false;
  }
  if (::fchmod(fd_, old.st_mode & kAllModeBits) != 0) return false;

  OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(target_));
  std::vector<std::string> linked;
  int failed = 0;
  for (const std::string& name : names) {
    if (replaced.contains(name) || name == StrCat(kUnfinishedName, kTemporarySuffix)) continue;
    struct stat info {};
    const bool file = ::fstatat(target.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                      (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode));
    if (file && name == kUnfinishedName && info.st_size == 0) continue;  // the new set is finished
    failed = !file ? EPERM : ::linkat(target.fd(), name.c_str(), fd_, name.c_str(), 0) != 0 ? errno : 0;
    if (failed != 0) break;
    linked.push_back(name);
  }
  if (failed == 0 && ::fsync(fd_) != 0) failed = errno;
  if (failed == 0 && ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    failed = errno;
  }
  if (failed != 0) {
    for (const std::string& name : linked) {
      if (::unlinkat(fd_, name.c_str(), 0) != 0) return tl::unexpected(SystemError(path_, "cannot remove", errno));
    }
    if (IsUnsupported(failed)) return false;
    return tl::unexpected(SystemError(target_, "cannot publish", failed));
  }
  // The temporary name now belongs to the old folder, which stays locked until it is removed.
  ::close(std::exchange(fd_, target.Release()));
  OFINDEX_TRY(SyncDirectoryOf(target_));
  return true;
}

Result<void> AtomicFolder::MoveIn(const std::set<std::string>& replaced) {
  Folder target(target_);
  if (target.fd() < 0) return tl::unexpected(SystemError(target_, "cannot open the folder", errno));
  OFINDEX_ASSIGN(const std::vector<std::string> names, NamesIn(path_));
  OFINDEX_ASSIGN(const bool marked, MarkUnfinished(target_, ""));
  Result<void> done;
  bool moved = false;
  for (size_t i = 0; done && i < names.size(); ++i) {
    if (::renameat(fd_, names[i].c_str(), target.fd(), names[i].c_str()) == 0) {
      moved = true;
    } else {
      done = tl::unexpected(SystemError(target_ + "/" + names[i], "cannot publish", errno));
    }
  }
  if (!done && !moved && marked) static_cast<void>(UnmarkUnfinished(target_));
  OFINDEX_TRY(done);
  const std::set<std::string> kept(names.begin(), names.end());
  for (const std::string& name : replaced) {
    if (kept.contains(name) || ::unlinkat(target.fd(), name.c_str(), 0) == 0 || errno == ENOENT) continue;
    return tl::unexpected(SystemError(target_ + "/" + name, "cannot remove", errno));
  }
  if (::fsync(target.fd()) != 0) return tl::unexpected(SystemError(target_, "cannot sync", errno));
  OFINDEX_TRY(UnmarkUnfinished(target_));
  return Remove();
}

}  // namespace ofindex
