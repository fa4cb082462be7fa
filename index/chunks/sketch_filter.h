#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "index/columns/distinct_sketch.h"

namespace ofindex {

/// Filters out most values that a sketch has already seen, since the sketch's own hash is expensive. A cache of 256
/// slots, selected by a cheap hash, remembers the last value of each slot. Not thread-safe.
class SketchFilter {
 public:
  explicit SketchFilter(DistinctSketch& sketch) : sketch_(sketch) {}

  void AddInteger(int64_t value) {
    if (New(integers_, static_cast<uint64_t>(value))) sketch_.AddInteger(value);
  }
  void AddReal(double value) {
    if (New(reals_, std::bit_cast<uint64_t>(value))) sketch_.AddReal(value);
  }

 private:
  struct Seen {
    uint64_t bits = 0;
    bool used = false;
  };
  using Cache = std::array<Seen, 256>;

  static bool New(Cache& cache, uint64_t bits) {
    Seen& seen = cache[(bits * 0x9e3779b97f4a7c15U) >> 56];  // Knuth, TAOCP 3, 6.4
    if (seen.used && seen.bits == bits) return false;
    seen = {bits, true};
    return true;
  }

  DistinctSketch& sketch_;
  Cache integers_{};
  Cache reals_{};
};

}  // namespace ofindex
