#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/fd_io.h"
#include "base/text.h"

namespace ofindex {
namespace {

int64_t Nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

FileFacts FactsOf(const struct stat& info) {
  const FileState state{.size = static_cast<uint64_t>(info.st_size),
                        .mtime_ns = Nanoseconds(info.st_mtim),
                        .ctime_ns = Nanoseconds(info.st_ctim),
                        .inode = info.st_ino};
  return {state, info.st_dev, S_ISREG(info.st_mode)};
}

}  // namespace

bool IsOutOfReach(int errno_value) {
  return errno_value == ENOENT || errno_value == ENOTDIR || errno_value == EACCES || errno_value == ELOOP ||
         errno_value == ENAMETOOLONG;
}

bool SaysNothingOfFile(const Error& error) {
  return error.code == ErrorCode::kLimit ||
         (error.code == ErrorCode::kIo && error.system != 0 && !IsOutOfReach(error.system));
}

Result<bool> IsTaken(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return tl::unexpected(SystemError(path, "cannot stat", errno));
}

Error SystemError(std::string_view path, std::string_view what, int errno_value) {
  return {ErrorCode::kIo,
          StrCat(Printable(path), ": ", what, ": ", std::generic_category().message(errno_value)),
          {},
          errno_value};
}

Result<FileFacts> StatFile(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return tl::unexpected(SystemError(path, "cannot stat", errno));
  return FactsOf(info);
}

std::string WorkingFolder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string PathFrom(const std::string& anchor, const std::string& path) {
  if (anchor.empty() || path.starts_with('/')) return path;
  return anchor.ends_with('/') ? StrCat(anchor, path) : StrCat(anchor, "/", path);
}

Result<File> File::OpenRead(const std::string& path, const std::string& shown) {
  // Checking whether the access time must be updated takes a twentieth of a small read; only the file's owner may skip
  // it.
  int more = O_NOATIME;
  int fd = -1;
  for (;;) {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more);
    if (fd < 0 && errno == EPERM && more != 0) {
      more = 0;
    } else if (fd >= 0 || errno != EINTR) {
      break;
    }
  }
  if (fd < 0) return tl::unexpected(SystemError(shown.empty() ? path : shown, "cannot open", errno));
  File file(fd, shown.empty() ? path : shown);
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  if (!facts.regular) {
    return Fail(ErrorCode::kIo, StrCat(Printable(file.path()), ": not a regular file; expected one"),
                "name a file; copy what a pipe or a device gives to a file first");
  }
  return file;
}

File::File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FileFacts> File::Facts() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return tl::unexpected(SystemError(path_, "cannot stat", errno));
  return FactsOf(info);
}

Result<size_t> File::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  constexpr auto kLargestFile = static_cast<uint64_t>(std::numeric_limits<off_t>::max());
  if (offset >= kLargestFile) return size_t{0};
  out = out.first(std::min<uint64_t>(out.size(), kLargestFile - offset));
  size_t done = 0;
  if (ReadFully(fd_, offset, out, done)) return done;
  return tl::unexpected(SystemError(StrCat(path_, "@", offset + done), "cannot read", errno));
}

bool File::IsCachedAt(uint64_t offset) const {
  uint8_t byte = 0;
  const iovec to{.iov_base = &byte, .iov_len = 1};
  return ::preadv2(fd_, &to, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

void File::WillNeed(uint64_t offset, uint64_t n) const {
  static_cast<void>(::posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(n), POSIX_FADV_WILLNEED));
}

void File::Advise(Access access) const {
  const int advice = access == Access::kSequential ? POSIX_FADV_SEQUENTIAL : POSIX_FADV_RANDOM;
  static_cast<void>(::posix_fadvise(fd_, 0, 0, advice));
}

}  // namespace ofindex
