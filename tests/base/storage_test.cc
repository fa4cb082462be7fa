#include "base/storage.h"

#include <doctest/doctest.h>

#include <fstream>

#include "base/memory_size.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

TEST_CASE("a file system in memory is recognised") {
  const auto proc = File::OpenRead("/proc/self/status");
  if (proc) CHECK(StorageOf(*proc) == Storage::kSolid);  // the default for unknown storage
  std::ofstream probe("/dev/shm/ofindex-storage-test");
  probe << "x";
  probe.close();
  const auto file = File::OpenRead("/dev/shm/ofindex-storage-test");
  if (file) CHECK(StorageOf(*file) == Storage::kMemory);
  static_cast<void>(::remove("/dev/shm/ofindex-storage-test"));
}

TEST_CASE("the size of memory is at most that of the machine") {
  CHECK(MemorySize() > (uint64_t{16} << 20));
  CHECK(MemorySize() < (uint64_t{1} << 50));
}

}  // namespace
}  // namespace ofindex
