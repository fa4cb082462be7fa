#include "base/memory_size.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace ofindex {

uint64_t MemorySize() {
  uint64_t bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  // A container sees its own control group at the root. A limit of "max" is not a number, and is ignored.
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    uint64_t limit = 0;
    if (file >> limit && limit != 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace ofindex
