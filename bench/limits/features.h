#pragma once

#include <cstdint>

namespace limits {

/// Value `i` of a sequence of pseudorandom numbers (SplitMix64, Steele, Lea and Flood 2014).
constexpr uint64_t Noise(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

inline constexpr uint64_t kLabels = 1000;

/// The features of a record that are numbers. bench/harness/columns.py computes the same arrays.
struct Numbers {
  uint64_t label, height, width;
  float score;
};

/// Returns the features of record `record` of `records`; if `sorted`, labels ascend with the record's number.
constexpr Numbers NumbersOf(uint64_t record, uint64_t records, bool sorted) {
  const uint64_t first = record * 8;
  return {
      .label = sorted ? record * kLabels / records : Noise(first) % kLabels,
      .height = 64 + Noise(first + 1) % 1985,
      .width = 64 + Noise(first + 2) % 1985,
      .score = static_cast<float>(Noise(first + 3) >> 40) * 0x1p-24F,
  };
}

}  // namespace limits
