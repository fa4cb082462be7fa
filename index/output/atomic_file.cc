#include "index/output/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fd_io.h"
#include "base/file.h"
#include "base/text.h"
#include "index/output/file_access.h"
#include "index/output/folder.h"

namespace ofindex {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(20);

int OpenHere(const std::string& path, int flags) {
  return OpenRetrying(path.c_str(), flags | O_RDWR | O_NOFOLLOW, 0666);
}

// The temporary file at `path`, created or found. The second open is without O_CREAT, so that it creates nothing.
struct Opened {
  int fd;
  bool is_new;
};

Result<Opened> OpenTemporary(const std::string& path) {
  for (;;) {
    int fd = OpenHere(path, O_CREAT | O_EXCL);
    if (fd >= 0) return Opened{fd, true};
    if (errno != EEXIST) return tl::unexpected(SystemError(path, "cannot create", errno));
    fd = OpenHere(path, O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) return Opened{fd, false};
    if (errno != ENOENT)
      return tl::unexpected(SystemError(path, "cannot open the file that has the temporary file's name", errno));
  }
}

enum class LockState { kHeld, kBusy, kGone };

Result<LockState> TryLock(int fd, const std::string& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    OFINDEX_ASSIGN(const bool is_there, IsStillAt(fd, path));
    return is_there ? LockState::kHeld : LockState::kGone;
  }
  if (errno == EWOULDBLOCK) return LockState::kBusy;
  return tl::unexpected(SystemError(path, "cannot lock", errno));
}

// Removes the locked file at the temporary file's path, if only a killed process of the same user can have left it.
Result<void> RemoveOurs(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return tl::unexpected(SystemError(path, "cannot stat", errno));
  if (const char* const what = WhyNotOurs(info); what != nullptr) {
    return Fail(ErrorCode::kIo,
                StrCat(Printable(path), ": ", what, "; expected no file, or one left by a killed process of yours"),
                "remove it if it is not needed");
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return tl::unexpected(SystemError(path, "cannot remove", errno));
  return {};
}

bool IsLink(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

// Returns the file that `target` leads to.
Result<std::string> Resolved(const std::string& target) {
  if (!IsLink(target)) return target;
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(target, error);
  if (error) return tl::unexpected(SystemError(target, "cannot follow the link", error.value()));
  return file.string();
}

}  // namespace

AtomicFile::AtomicFile(std::string target, std::string path, int fd, bool waited)
    : target_(std::move(target)), path_(std::move(path)), fd_(fd), waited_(waited) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      waited_(other.waited_),
      old_(other.old_) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(waited_, other.waited_);
  std::swap(old_, other.old_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  if (IsStillAt(fd_, path_).value_or(false)) ::unlink(path_.c_str());
  ::close(fd_);
}

Result<void> AtomicFile::CheckTarget(const std::string& target) {
  if (target.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(target), ": the name has a NUL; expected none"));
  }
  const auto facts = StatFile(target);
  if (facts ? facts->regular : !IsLink(target)) return {};
  if (!facts) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(target), ": a dangling link; expected a file"),
                "remove the link, or name another output");
  }
  return Fail(ErrorCode::kUsage, StrCat(Printable(target), ": not a regular file; expected one, or a new name"),
              "name a file; to write to a device or a pipe, use standard output");
}

Result<AtomicFile> AtomicFile::Begin(const std::string& name, IfLocked if_locked, const Progress* progress) {
  OFINDEX_TRY(CheckTarget(name));
  OFINDEX_ASSIGN(const std::string target, Resolved(name));
  OFINDEX_TRY(CheckFolderOf(target));
  const std::string path = target + std::string(kTemporarySuffix);
  bool waited = false;
  for (;;) {
    OFINDEX_ASSIGN(const Opened opened, OpenTemporary(path));
    const Result<LockState> state = TryLock(opened.fd, path);
    if (state == LockState::kHeld && opened.is_new) {
      AtomicFile temporary(target, path, opened.fd, waited);
      OFINDEX_TRY(temporary.TakeOld());
      return temporary;
    }
    const Result<void> removed = state == LockState::kHeld ? RemoveOurs(opened.fd, path) : Result<void>();
    ::close(opened.fd);
    if (!state) return tl::unexpected(state.error());
    OFINDEX_TRY(removed);
    if (state != LockState::kBusy) continue;
    if (if_locked == IfLocked::kFail) {
      return Fail(ErrorCode::kLocked, StrCat(Printable(target), ": locked by another writer"),
                  "try again when it is done; build, update and merge wait for it with --wait");
    }
    waited = true;
    if (progress != nullptr && progress->cancel) return Interrupted();
    std::this_thread::sleep_for(kPollInterval);
  }
}

void AtomicFile::RemoveLeftover(const std::string& target) {
  struct stat info {};
  if (::lstat((target + std::string(kTemporarySuffix)).c_str(), &info) != 0) return;
  static_cast<void>(Begin(target, IfLocked::kFail));
}

// Records the old file, and denies others access to the temporary file if the target may deny it.
Result<void> AtomicFile::TakeOld() {
  struct stat old {};
  if (::stat(target_.c_str(), &old) != 0) return {};
  old_ = {.device = old.st_dev, .inode = old.st_ino, .access = AccessOf(target_).value_or(FileAccess{})};
  if (::fchmod(fd_, S_IRUSR | S_IWUSR) == 0) return {};
  return tl::unexpected(SystemError(path_, "cannot set the mode", errno));
}

// Replaces the file that existed at Begin, and nothing else.
Result<void> AtomicFile::Rename() {
  const auto another = [this] {
    return Fail(
        ErrorCode::kIo,
        StrCat(Printable(target_), ": another file was put there while this one was written; that file is kept"),
        "write to a folder that no other program writes to, or run it again");
  };
  struct stat now {};
  const bool exists = ::lstat(target_.c_str(), &now) == 0;
  if (exists && (!old_ || now.st_dev != old_->device || now.st_ino != old_->inode)) return another();
  int error = 0;
  if (!exists) {
    error = RenameToNew(path_, target_);
  } else if (std::rename(path_.c_str(), target_.c_str()) != 0) {
    error = errno;
  }
  if (error == EEXIST) return another();
  if (error != 0) return tl::unexpected(SystemError(target_, "cannot publish", error));
  return {};
}

Result<OutputFile> AtomicFile::Open() const {
  const int fd = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return tl::unexpected(SystemError(path_, "cannot open", errno));
  return OutputFile(fd, path_);
}

Result<void> AtomicFile::CheckName() const {
  OFINDEX_ASSIGN(const bool is_there, IsStillAt(fd_, path_));
  if (is_there) return {};
  return Fail(ErrorCode::kIo, StrCat(Printable(path_), ": another file was put in its place while it was written"),
              "write to a folder that no one else can change");
}

Result<void> AtomicFile::Sync() {
  if (::fsync(fd_) != 0) return tl::unexpected(SystemError(path_, "cannot sync", errno));
  return {};
}

Result<void> AtomicFile::Publish(Durability durability) {
  if (old_) OFINDEX_TRY(GiveAccess(fd_, path_, old_->access));
  if (durability == Durability::kDurable) OFINDEX_TRY(Sync());
  OFINDEX_TRY(CheckName());
  OFINDEX_TRY(Rename());
  ::close(std::exchange(fd_, -1));
  return durability == Durability::kDurable ? SyncDirectoryOf(target_) : Result<void>();
}

}  // namespace ofindex
