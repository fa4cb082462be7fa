#pragma once

#include <cstdint>
#include <string>

namespace ofindex {

/// The pages of a range of a file: their number, and how many are in memory.
struct CachedPages {
  uint64_t all = 0;
  uint64_t cached = 0;
};

/// Writes the file to disk and asks the system to drop its pages. It may keep some: check with PagesOf.
void Evict(const std::string& path);

/// Returns the pages of bytes [begin, end) of the file. Reads none of them.
[[nodiscard]] CachedPages PagesOf(const std::string& path, uint64_t begin, uint64_t end);

}  // namespace ofindex
