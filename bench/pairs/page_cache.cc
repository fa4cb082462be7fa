#include "bench/pairs/page_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace ofindex {
namespace {

bool DropAll() {
  const int fd = ::open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool dropped = ::write(fd, "1", 1) == 1;
  ::close(fd);
  return dropped;
}

}  // namespace

void DropPages(const std::vector<std::string>& files) {
  // Dirty pages cannot be evicted.
  ::sync();
  if (DropAll()) return;
  for (const std::string& path : files) {
    if (const auto file = File::OpenRead(path)) {
      static_cast<void>(::posix_fadvise(file->fd(), 0, 0, POSIX_FADV_DONTNEED));
    }
  }
}

}  // namespace ofindex
