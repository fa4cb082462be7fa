#include "faults/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace ofindex::faults {
namespace {

std::mutex journal_mutex;

int Descriptor() {
  static const int fd = [] {
    const char* const path = std::getenv("FAULTS_JOURNAL");
    if (path == nullptr) return -1;
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  }();
  return fd;
}

}  // namespace

Journal::Journal() {
  if (IsKept()) lock_ = std::unique_lock(journal_mutex);
}

bool Journal::IsKept() { return Descriptor() >= 0; }

void Journal::Add(const std::string& line) {
  if (!IsKept()) return;
  const int before = errno;
  const std::string text = line + "\n";
  if (::syscall(SYS_write, Descriptor(), text.data(), text.size()) != static_cast<long>(text.size())) std::abort();
  errno = before;
}

void Journal::AddWrite(int fd, off_t offset, const void* bytes, size_t n) {
  if (!IsKept()) return;
  Add("write\t" + InodeOf(fd) + "\t" + std::to_string(offset) + "\t" + std::to_string(n));
  Add(std::string(static_cast<const char*>(bytes), n));
}

std::string InodeOf(int fd) {
  struct stat info {};
  if (::syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) != 0) std::abort();
  return std::to_string(info.st_ino);
}

}  // namespace ofindex::faults
