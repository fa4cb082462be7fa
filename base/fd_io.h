#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace ofindex {

// The system calls on open files, begun again when a signal interrupts them. They set errno if they fail.

/// Opens `path` as open(2) does; closed by exec. Returns -1 if that fails.
[[nodiscard]] inline int OpenRetrying(const char* path, int flags, mode_t mode = 0) {
  for (;;) {
    const int fd = ::open(path, flags | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EINTR) return fd;
  }
}

/// Reads the bytes from `offset` on into `out`, and sets `done` to their number: fewer than `out` has only at the end
/// of the file, or if it returns false because reading failed.
[[nodiscard]] inline bool ReadFully(int fd, uint64_t offset, std::span<uint8_t> out, size_t& done) {
  for (done = 0; done < out.size();) {
    const ssize_t n = ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return true;
}

/// Writes all of `bytes` at `offset`. Returns false if that fails; some bytes may be written then.
[[nodiscard]] inline bool WriteFully(int fd, uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    offset += static_cast<uint64_t>(n);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace ofindex
