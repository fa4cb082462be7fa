#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "faults/journal.h"
#include "faults/plan.h"
#include "faults/watched.h"

// Calls that write files, and make them lasting.

namespace ofindex::faults {
namespace {

// Writes at `offset`, or where the file stands if that is negative.
ssize_t WriteRecorded(int fd, const void* bytes, size_t n, off_t offset) {
  Journal journal;
  if (offset >= 0) {
    const ssize_t done = ::syscall(SYS_pwrite64, fd, bytes, n, offset);
    const Uncounted inside;
    if (done > 0) journal.AddWrite(fd, offset, bytes, static_cast<size_t>(done));
    return done;
  }
  const ssize_t done = ::syscall(SYS_write, fd, bytes, n);
  const Uncounted inside;
  if (done > 0 && Journal::IsKept()) {
    journal.AddWrite(fd, ::syscall(SYS_lseek, fd, 0, SEEK_CUR) - done, bytes, static_cast<size_t>(done));
  }
  return done;
}

ssize_t WriteBytes(int fd, const void* bytes, size_t n, off_t offset) {
  if (!IsWatched(fd)) {
    return offset < 0 ? ::syscall(SYS_write, fd, bytes, n) : ::syscall(SYS_pwrite64, fd, bytes, n, offset);
  }
  const std::optional<Fault> fault = Strike(Kind::kWrite);
  if (fault && *fault != 0) {
    errno = *fault;
    return -1;
  }
  return WriteRecorded(fd, bytes, fault ? (n + 1) / 2 : n, offset);
}

int SyncFile(int fd) {
  return Try(IsWatched(fd), Kind::kSync, -1, [&] {
    Journal journal;
    const auto result = static_cast<int>(::syscall(SYS_fsync, fd));
    const Uncounted inside;
    if (result == 0 && IsWatched(fd) && Journal::IsKept()) journal.Add("sync\t" + InodeOf(fd));
    return result;
  });
}

int TruncateFile(int fd, off_t n) {
  return Try(IsWatched(fd), Kind::kTruncate, -1, [&] {
    Journal journal;
    const auto result = static_cast<int>(::syscall(SYS_ftruncate, fd, n));
    const Uncounted inside;
    if (result == 0 && IsWatched(fd) && Journal::IsKept()) {
      journal.Add("truncate\t" + InodeOf(fd) + "\t" + std::to_string(n));
    }
    return result;
  });
}

void RecordCopy(Journal& journal, int fd, off_t offset, size_t n) {
  const Uncounted inside;
  std::vector<char> bytes(n);
  const ssize_t got = ::syscall(SYS_pread64, fd, bytes.data(), n, offset);
  if (got > 0) journal.AddWrite(fd, offset, bytes.data(), static_cast<size_t>(got));
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t n) { return WriteBytes(fd, bytes, n, -1); }
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t offset) { return WriteBytes(fd, bytes, n, offset); }
ssize_t pwrite64(int fd, const void* bytes, size_t n, off64_t offset) { return WriteBytes(fd, bytes, n, offset); }

// Copies at most a megabyte, so that a record of it has its bytes.
ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t n, unsigned flags) {
  const bool is_watched = IsWatched(to);
  const off64_t offset = to_offset == nullptr ? -1 : *to_offset;
  const std::optional<Fault> fault = is_watched ? Strike(Kind::kWrite) : std::nullopt;
  if (fault && *fault != 0) {
    errno = *fault;
    return -1;
  }
  if (fault) n = (n + 1) / 2;
  Journal journal;
  if (Journal::IsKept()) n = std::min<size_t>(n, size_t{1} << 20);
  const ssize_t done = ::syscall(SYS_copy_file_range, from, from_offset, to, to_offset, n, flags);
  if (done > 0 && is_watched && offset >= 0) RecordCopy(journal, to, offset, static_cast<size_t>(done));
  return done;
}

int fsync(int fd) { return SyncFile(fd); }
int fdatasync(int fd) { return SyncFile(fd); }
int ftruncate(int fd, off_t n) noexcept { return TruncateFile(fd, n); }
int ftruncate64(int fd, off64_t n) noexcept { return TruncateFile(fd, n); }

int fchmod(int fd, mode_t mode) noexcept {
  return Try(IsWatched(fd), Kind::kMode, -1, [&] { return static_cast<int>(::syscall(SYS_fchmod, fd, mode)); });
}
int fchown(int fd, uid_t user, gid_t group) noexcept {
  return Try(IsWatched(fd), Kind::kMode, -1, [&] { return static_cast<int>(::syscall(SYS_fchown, fd, user, group)); });
}

}  // extern "C"

}  // namespace ofindex::faults
