#pragma once

#include <cstdint>
#include <string>

namespace ofindex {

/// Pages of a range of a file: all of them, and those in memory.
struct CachedPages {
  uint64_t all = 0;
  uint64_t cached = 0;
};

/// Puts the file on disk and asks the system to drop its pages. It may keep some: ask with PagesOf what it did.
void Evict(const std::string& path);

/// Pages of bytes [begin, end) of the file. Reads none of them.
[[nodiscard]] CachedPages PagesOf(const std::string& path, uint64_t begin, uint64_t end);

}  // namespace ofindex
