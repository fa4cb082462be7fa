#pragma once

#include <cstdint>
#include <string>

namespace ofindex {

/// How many pages a range of a file has, and how many of them are in memory.
struct CachedPages {
  uint64_t all = 0;
  uint64_t cached = 0;
};

/// Writes the file to disk and asks the system to drop its pages from memory. Some may stay: check with PagesOf.
void Evict(const std::string& path);

/// Counts the pages of bytes [begin, end) of the file, without reading them.
[[nodiscard]] CachedPages PagesOf(const std::string& path, uint64_t begin, uint64_t end);

}  // namespace ofindex
