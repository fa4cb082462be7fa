#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace ofindex {

/// Returns `count` random bytes. The same seed gives the same bytes.
inline std::string RandomBytes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes;
  while (bytes.size() < count) bytes.push_back(static_cast<char>(random() & 0xff));
  return bytes;
}

}  // namespace ofindex
