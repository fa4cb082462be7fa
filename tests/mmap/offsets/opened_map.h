#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "mmap/offsets/offset_map.h"

namespace ofindex {

/// Returns the map at `path`. Ends the test if it does not open.
inline OffsetMap OpenedMap(const std::string& path, uint64_t copied_bytes = kCopiedMapBytes) {
  auto map = OffsetMap::Open(path, {}, copied_bytes);
  REQUIRE_MESSAGE(map, map.error().message);
  return std::move(*map);
}

}  // namespace ofindex
