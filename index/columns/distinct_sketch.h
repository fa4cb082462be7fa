#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace ofindex {

/// An estimate of how many distinct values were added: HyperLogLog with 2,048 registers, 2.3 % standard error. Sketches
/// merge: that of a dataset is the union of those of its blocks, in any order. A value.
class DistinctSketch {
 public:
  static constexpr uint32_t kRegisters = 2048;

  /// Adds a value as SQL has it: integers and reals that are equal there are one value, and NaN is none.
  void AddInteger(int64_t value);
  void AddReal(double value);
  void AddBytes(ByteView value);

  void AddHash(uint64_t hash);
  void Merge(const DistinctSketch& other);
  /// 0 only if nothing was added.
  [[nodiscard]] uint64_t Estimate() const;

  [[nodiscard]] ByteView bytes() const { return registers_; }

  /// The sketch that `bytes()` was of. False if it is none.
  [[nodiscard]] bool Load(ByteView bytes);

 private:
  std::array<uint8_t, kRegisters> registers_{};
};

}  // namespace ofindex
