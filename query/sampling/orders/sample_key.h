#pragma once

#include <cstdint>

namespace ofindex {

/// A bijection on 64-bit numbers without any pattern left: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014; constants by Stafford).
[[nodiscard]] constexpr uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Key `number` of those that come from `key`. Both are mixed, one after the other: the keys of `key` + 1 are not those
/// of `key`, one number further.
[[nodiscard]] constexpr uint64_t SampleKey(uint64_t key, uint64_t number) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
  return Mix64(Mix64(key + kGolden) + number * kGolden);
}

/// What keys are for. Each use of a seed has keys of its own, so that no two laws ever go hand in hand. Frozen.
enum class SampleUse : uint64_t {
  kShuffle = 1,
  kRuns = 2,
  kWindows = 3,
  kDraws = 4,
  kSplit = 5,
  kMixture = 6,
};

/// The key of one use in one epoch of a run.
[[nodiscard]] constexpr uint64_t SampleKey(uint64_t seed, uint64_t epoch, SampleUse use) {
  return SampleKey(SampleKey(seed, epoch), static_cast<uint64_t>(use));
}

/// A number below `below` from 64 random bits; one in 2^64 / `below` is a hair too frequent.
[[nodiscard]] constexpr uint64_t Below(uint64_t bits, uint64_t below) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * below) >> 64);
}

}  // namespace ofindex
