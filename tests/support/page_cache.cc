#include "tests/support/page_cache.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "mmap/files/mapped_file.h"

namespace ofindex {

void Evict(const std::string& path) {
  const auto file = File::OpenRead(path);
  REQUIRE(file);
  CHECK(::fsync(file->fd()) == 0);
  CHECK(::posix_fadvise(file->fd(), 0, 0, POSIX_FADV_DONTNEED) == 0);
}

CachedPages PagesOf(const std::string& path, uint64_t begin, uint64_t end) {
  const auto file = File::OpenRead(path);
  REQUIRE(file);
  const auto mapped = MappedFile::Map(*file, end);
  REQUIRE(mapped);
  const uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t first = begin / page;
  std::vector<unsigned char> pages((end - 1) / page - first + 1);
  auto* const at = const_cast<uint8_t*>(mapped->bytes().data()) + first * page;
  REQUIRE(::mincore(at, end - first * page, pages.data()) == 0);
  const auto cached = std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1) != 0; });
  return {pages.size(), static_cast<uint64_t>(cached)};
}

}  // namespace ofindex
