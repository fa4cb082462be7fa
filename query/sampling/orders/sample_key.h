#pragma once

#include <cstdint>

namespace ofindex {

/// A bijection on 64-bit numbers that removes all patterns: the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014; constants by Stafford).
[[nodiscard]] constexpr uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Derives key `number` from `key`. Both are mixed, one after the other, so that the keys of `key` + 1 are not those of
/// `key` shifted by one.
[[nodiscard]] constexpr uint64_t SampleKey(uint64_t key, uint64_t number) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
  return Mix64(Mix64(key + kGolden) + number * kGolden);
}

/// The uses of keys. Each use of a seed has its own keys, so that no two algorithms are correlated. Frozen.
enum class SampleUse : uint64_t {
  kShuffle = 1,
  kRuns = 2,
  kWindows = 3,
  kDraws = 4,
  kSplit = 5,
  kMixture = 6,
};

/// Returns the key for one use in one epoch of a run.
[[nodiscard]] constexpr uint64_t SampleKey(uint64_t seed, uint64_t epoch, SampleUse use) {
  return SampleKey(SampleKey(seed, epoch), static_cast<uint64_t>(use));
}

/// Maps 64 random bits to a number below `below`, with a bias of at most one in 2^64 / `below`.
[[nodiscard]] constexpr uint64_t Below(uint64_t bits, uint64_t below) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * below) >> 64);
}

}  // namespace ofindex
