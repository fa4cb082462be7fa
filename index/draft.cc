#include "index/draft.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(20);

int OpenDraft(const std::string& path) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// A builder that was waited for has renamed or removed the file that our descriptor is of.
bool IsStillAt(int fd, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(fd, &ours) == 0 && ::lstat(path.c_str(), &named) == 0 && ours.st_dev == named.st_dev &&
         ours.st_ino == named.st_ino;
}

enum class LockState { kHeld, kBusy, kGone };

Result<LockState> TryLock(int fd, const std::string& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return IsStillAt(fd, path) ? LockState::kHeld : LockState::kGone;
  if (errno == EWOULDBLOCK || errno == EINTR) return LockState::kBusy;
  return tl::unexpected(SystemError(path, "cannot lock", errno));
}

}  // namespace

Draft::Draft(std::string target, std::string path, int fd, bool waited)
    : target_(std::move(target)), path_(std::move(path)), fd_(fd), waited_(waited) {}

Draft::Draft(Draft&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      waited_(other.waited_) {}

Draft& Draft::operator=(Draft&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(waited_, other.waited_);
  return *this;
}

Draft::~Draft() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

Result<Draft> Draft::Begin(const std::string& target, IfLocked if_locked, const Progress* progress) {
  if (target.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(target), ": a name with a NUL, where the system would cut it"));
  }
  if (const auto facts = StatFile(target); facts && !facts->regular) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(target), ": not a regular file; expected one, or a new name"),
                "a device or a pipe is written to by way of standard output");
  }
  const std::string path = target + std::string(kDraftSuffix);
  bool waited = false;
  for (;;) {
    const int fd = OpenDraft(path);
    if (fd < 0) return tl::unexpected(SystemError(path, "cannot create", errno));
    const Result<LockState> state = TryLock(fd, path);
    if (state == LockState::kHeld) {
      Draft draft(target, path, fd, waited);
      if (::ftruncate(fd, 0) != 0) return tl::unexpected(SystemError(path, "cannot empty", errno));
      return draft;
    }
    ::close(fd);
    if (!state) return tl::unexpected(state.error());
    if (state == LockState::kGone) continue;
    if (if_locked == IfLocked::kFail) {
      return Fail(ErrorCode::kLocked, StrCat(Printable(target), ": another writer is at it"),
                  "try again when it is done; `ofindex build` waits for it with --wait");
    }
    waited = true;
    if (progress != nullptr && progress->cancel) return Interrupted();
    std::this_thread::sleep_for(kPollInterval);
  }
}

void Draft::RemoveLeftover(const std::string& target) {
  struct stat info {};
  if (::lstat((target + std::string(kDraftSuffix)).c_str(), &info) != 0) return;
  static_cast<void>(Begin(target, IfLocked::kFail));
}

Result<void> Draft::Sync() {
  if (::fsync(fd_) != 0) return tl::unexpected(SystemError(path_, "cannot sync", errno));
  return {};
}

Result<void> Draft::Publish(Durability durability) {
  if (durability == Durability::kDurable) OFINDEX_TRY(Sync());
  if (std::rename(path_.c_str(), target_.c_str()) != 0) {
    return tl::unexpected(SystemError(target_, "cannot publish", errno));
  }
  ::close(std::exchange(fd_, -1));
  return durability == Durability::kDurable ? SyncDirectoryOf(target_) : Result<void>();
}

}  // namespace ofindex
