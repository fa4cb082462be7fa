#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "faults/journal.h"
#include "faults/plan.h"
#include "faults/watched.h"

// Calls that open, read, stat, lock and list.

namespace ofindex::faults {
namespace {

template <typename Function>
Function* Next(const char* name) {
  const Uncounted inside;
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

template <typename... Arguments>
int Call(long number, Arguments... arguments) {
  return static_cast<int>(::syscall(number, arguments...));
}

bool Exists(int folder, const char* path) {
  struct stat info {};
  const int before = errno;
  const bool exists = Call(SYS_newfstatat, folder, path, &info, AT_SYMLINK_NOFOLLOW) == 0;
  errno = before;
  return exists;
}

// Opens a watched file, and records whether it is created or truncated.
int OpenRecorded(int folder, const char* path, int flags, mode_t mode) {
  Journal journal;
  const bool is_changed = Journal::IsKept() && (flags & (O_CREAT | O_TRUNC)) != 0;
  const bool exists = is_changed && Exists(folder, path);
  const int fd = Call(SYS_openat, folder, path, flags, mode);
  if (fd < 0 || !is_changed) return fd;
  const Uncounted inside;
  if (!exists) journal.Add("create\t" + InodeOf(fd) + "\t" + AbsolutePath(folder, path));
  if (exists && (flags & O_TRUNC) != 0) journal.Add("truncate\t" + InodeOf(fd) + "\t0");
  return fd;
}

int OpenAt(int folder, const char* path, int flags, mode_t mode) {
  if (!IsWatched(folder, path)) return Watch(Call(SYS_openat, folder, path, flags, mode), false);
  return Try(true, Kind::kOpen, -1, [&] { return Watch(OpenRecorded(folder, path, flags, mode), true); });
}

// Returns how many of `n` bytes to read: half of them, if the call has to fail so; -1 if it has to fail.
ssize_t BytesToRead(int fd, size_t n) {
  const std::optional<Fault> fault = IsWatched(fd) ? Strike(Kind::kRead) : std::nullopt;
  if (!fault) return static_cast<ssize_t>(n);
  if (*fault == 0) return static_cast<ssize_t>((n + 1) / 2);
  errno = *fault;
  return -1;
}

int StatAt(int folder, const char* path, struct stat* info, int flags) {
  return Try(IsWatched(folder, path), Kind::kStat, -1, [&] { return Call(SYS_newfstatat, folder, path, info, flags); });
}

int StatOpen(int fd, struct stat* info) {
  return Try(IsWatched(fd), Kind::kStat, -1, [&] { return Call(SYS_newfstatat, fd, "", info, AT_EMPTY_PATH); });
}

int Control(int fd, int command, void* argument) {
  const bool is_duplicate = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  const int result = Try(IsWatched(fd), is_duplicate ? Kind::kDuplicate : Kind::kLock, -1,
                         [&] { return Call(SYS_fcntl, fd, command, argument); });
  return is_duplicate ? Watch(result, IsWatched(fd)) : result;
}

void* MapFile(void* at, size_t n, int protection, int flags, int fd, off_t offset) {
  return Try(IsWatched(fd), Kind::kMap, MAP_FAILED, [&] {
    const long mapped = ::syscall(SYS_mmap, at, n, protection, flags, fd, offset);
    const bool is_written = (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0;
    const Uncounted inside;
    if (mapped != -1 && is_written && IsWatched(fd) && Journal::IsKept()) Journal().Add("map\t" + InodeOf(fd));
    return reinterpret_cast<void*>(mapped);
  });
}

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

#define OFINDEX_OPEN(name)                        \
  int name(const char* path, int flags, ...) {    \
    va_list arguments;                            \
    va_start(arguments, flags);                   \
    const mode_t mode = ModeOf(flags, arguments); \
    va_end(arguments);                            \
    return OpenAt(AT_FDCWD, path, flags, mode);   \
  }
#define OFINDEX_OPEN_AT(name)                              \
  int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = ModeOf(flags, arguments);          \
    va_end(arguments);                                     \
    return OpenAt(folder, path, flags, mode);              \
  }
#define OFINDEX_FCNTL(name)                          \
  int name(int fd, int command, ...) {               \
    va_list arguments;                               \
    va_start(arguments, command);                    \
    void* const argument = va_arg(arguments, void*); \
    va_end(arguments);                               \
    return Control(fd, command, argument);           \
  }
OFINDEX_OPEN(open)
OFINDEX_OPEN(open64)
OFINDEX_OPEN_AT(openat)
OFINDEX_OPEN_AT(openat64)
OFINDEX_FCNTL(fcntl)
OFINDEX_FCNTL(fcntl64)
#undef OFINDEX_OPEN
#undef OFINDEX_OPEN_AT
#undef OFINDEX_FCNTL

// The descriptor is gone even if close() fails (Linux: close(2)).
int close(int fd) {
  const bool is_watched = IsWatched(fd);
  Watch(fd, false);
  const int result = Call(SYS_close, fd);
  return Try(is_watched, Kind::kClose, -1, [&] { return result; });
}

ssize_t read(int fd, void* out, size_t n) {
  const ssize_t wanted = BytesToRead(fd, n);
  return wanted < 0 ? -1 : ::syscall(SYS_read, fd, out, wanted);
}
ssize_t pread(int fd, void* out, size_t n, off_t offset) {
  const ssize_t wanted = BytesToRead(fd, n);
  return wanted < 0 ? -1 : ::syscall(SYS_pread64, fd, out, wanted, offset);
}
ssize_t pread64(int fd, void* out, size_t n, off64_t offset) { return pread(fd, out, n, offset); }
ssize_t preadv64(int fd, const iovec* parts, int count, off64_t offset) {
  const ssize_t wanted = BytesToRead(fd, 0);
  return wanted < 0 ? -1 : ::syscall(SYS_preadv, fd, parts, count, offset, 0);
}

void* mmap(void* at, size_t n, int protection, int flags, int fd, off_t offset) noexcept {
  return MapFile(at, n, protection, flags, fd, offset);
}
void* mmap64(void* at, size_t n, int protection, int flags, int fd, off64_t offset) noexcept {
  return MapFile(at, n, protection, flags, fd, offset);
}

int stat(const char* path, struct stat* info) noexcept { return StatAt(AT_FDCWD, path, info, 0); }
int lstat(const char* path, struct stat* info) noexcept { return StatAt(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW); }
int fstat(int fd, struct stat* info) noexcept { return StatOpen(fd, info); }
int fstatat(int folder, const char* path, struct stat* info, int flags) noexcept {
  return StatAt(folder, path, info, flags);
}
int stat64(const char* path, struct stat64* info) noexcept { return stat(path, reinterpret_cast<struct stat*>(info)); }
int lstat64(const char* path, struct stat64* info) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(info));
}
int fstat64(int fd, struct stat64* info) noexcept { return StatOpen(fd, reinterpret_cast<struct stat*>(info)); }
int fstatat64(int folder, const char* path, struct stat64* info, int flags) noexcept {
  return StatAt(folder, path, reinterpret_cast<struct stat*>(info), flags);
}
int statx(int folder, const char* path, int flags, unsigned mask, struct statx* info) noexcept {
  return Try(IsWatched(folder, path), Kind::kStat, -1,
             [&] { return Call(SYS_statx, folder, path, flags, mask, info); });
}
int access(const char* path, int mode) noexcept {
  return Try(IsWatched(AT_FDCWD, path), Kind::kStat, -1, [&] { return Call(SYS_faccessat, AT_FDCWD, path, mode); });
}
int fstatfs64(int fd, struct statfs64* info) noexcept {
  return Try(IsWatched(fd), Kind::kStat, -1, [&] { return Call(SYS_fstatfs, fd, info); });
}
int fstatvfs64(int fd, struct statvfs64* info) noexcept {
  static const auto next = Next<int(int, struct statvfs64*)>("fstatvfs64");
  return Try(IsWatched(fd), Kind::kStat, -1, [&] { return next(fd, info); });
}
ssize_t flistxattr(int fd, char* names, size_t n) noexcept {
  return Try(IsWatched(fd), Kind::kStat, ssize_t{-1}, [&] { return ::syscall(SYS_flistxattr, fd, names, n); });
}
ssize_t readlink(const char* path, char* out, size_t n) noexcept {
  return Try(IsWatched(AT_FDCWD, path), Kind::kStat, ssize_t{-1},
             [&] { return ::syscall(SYS_readlinkat, AT_FDCWD, path, out, n); });
}
char* realpath(const char* path, char* out) noexcept {
  static const auto next = Next<char*(const char*, char*)>("realpath");
  return Try<char*>(IsWatched(AT_FDCWD, path), Kind::kStat, nullptr, [&] { return next(path, out); });
}

int flock(int fd, int operation) noexcept {
  return Try(IsWatched(fd), Kind::kLock, -1, [&] { return Call(SYS_flock, fd, operation); });
}

DIR* opendir(const char* path) {
  static const auto next = Next<DIR*(const char*)>("opendir");
  const bool is_watched = IsWatched(AT_FDCWD, path);
  DIR* const folder = Try<DIR*>(is_watched, Kind::kOpen, nullptr, [&] { return next(path); });
  if (folder != nullptr) Watch(::dirfd(folder), is_watched);
  return folder;
}
DIR* fdopendir(int fd) {
  static const auto next = Next<DIR*(int)>("fdopendir");
  return Try<DIR*>(IsWatched(fd), Kind::kList, nullptr, [&] { return next(fd); });
}
dirent* readdir(DIR* folder) {
  static const auto next = Next<dirent*(DIR*)>("readdir");
  return Try<dirent*>(IsWatched(::dirfd(folder)), Kind::kList, nullptr, [&] { return next(folder); });
}
dirent64* readdir64(DIR* folder) { return reinterpret_cast<dirent64*>(readdir(folder)); }
int closedir(DIR* folder) {
  static const auto next = Next<int(DIR*)>("closedir");
  const int fd = ::dirfd(folder);
  const bool is_watched = IsWatched(fd);
  Watch(fd, false);
  const int result = next(folder);
  return Try(is_watched, Kind::kClose, -1, [&] { return result; });
}

}  // extern "C"

}  // namespace ofindex::faults
