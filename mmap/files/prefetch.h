#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ofindex {

/// The prefetch distance: a record's cache lines are prefetched this many records before it is copied. Values from 12
/// to 16 double the speed of random copies of 350 B (docs/benchmarking.md).
inline constexpr size_t kPrefetchAhead = 14;

/// Prefetches the cache lines of a record of `bytes` bytes at `record`. For a long record, only the first lines: the
/// processor fetches the rest by itself.
inline void PrefetchRecord(const uint8_t* record, uint64_t bytes) {
  constexpr uint64_t kMostBytes = 512;
  constexpr uint64_t kCacheLine = 64;
  const uint64_t n = std::min(bytes, kMostBytes);
  for (uint64_t line = 0; line < n; line += kCacheLine) __builtin_prefetch(record + line);
}

}  // namespace ofindex
