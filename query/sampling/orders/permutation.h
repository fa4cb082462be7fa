#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ofindex {

/// The version of all sampling algorithms, which fix the record at each position of an epoch. It changes if any of them
/// does, and a state of another version is refused.
inline constexpr uint32_t kSamplingVersion = 1;

/// Maximum number of records that can be ordered.
inline constexpr uint64_t kMaxSampled = uint64_t{1} << 48;

/// A keyed bijection on [0, size): the order of a shuffled epoch, without memory. The same on every machine, frozen by
/// golden vectors; docs/sampling.md specifies the algorithm and reports measurements. Immutable; may be used by any
/// number of threads.
///
/// A Feistel network on pairs (left, right) of [0, a) x [0, b), where a is the root of size, rounded up, and b is
/// minimal, but at least 2 and not odd if a is: each round adds a hash of one half to the other. The rectangle exceeds
/// size by less than 2a; results outside [0, size) go through the network again, which happens once in sqrt(size)
/// positions, twice if both would have been odd.
class Permutation {
 public:
  /// `size` is at most kMaxSampled.
  Permutation(uint64_t size, uint64_t key) : Permutation(size, key, RoundsFor(size)) {}

  /// Uses `rounds` rounds, 2 to kMaxRounds and even, for tests of fewer rounds.
  Permutation(uint64_t size, uint64_t key, uint32_t rounds);

  [[nodiscard]] uint64_t size() const { return size_; }

  /// Returns the element at `position`, which is less than size(). O(1).
  [[nodiscard]] uint64_t At(uint64_t position) const {
    uint64_t x = Forward(position);
    while (x >= size_) [[unlikely]] x = Forward(x);
    return x;
  }

  /// Sets `out` to the elements at `first`, `first` + `step`, ..., all less than size(). Faster than single calls.
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const;

  /// Returns the position of `element`: At(PositionOf(x)) == x. O(1).
  [[nodiscard]] uint64_t PositionOf(uint64_t element) const {
    uint64_t x = Backward(element);
    while (x >= size_) [[unlikely]] x = Backward(x);
    return x;
  }

  static constexpr uint32_t kMaxRounds = 24;

  /// With few elements, a round has little to mix, so there are more rounds.
  [[nodiscard]] static constexpr uint32_t RoundsFor(uint64_t size) {
    return size < (uint64_t{1} << 10) ? kMaxRounds : size < (uint64_t{1} << 16) ? 12 : 6;
  }

 private:
  // Returns a hash of `x` below `below`. The product keeps the upper half of the mixed bits, which is the better one.
  [[nodiscard]] static uint64_t Hash(uint64_t x, uint64_t key, uint64_t below) {
    uint64_t h = (x ^ key) * 0x9fb21c651e98df25U;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93U;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(h) * below) >> 64);
  }

  [[nodiscard]] static uint64_t Add(uint64_t x, uint64_t y, uint64_t modulus) {
    const uint64_t sum = x + y;
    return sum >= modulus ? sum - modulus : sum;
  }
  [[nodiscard]] static uint64_t Subtract(uint64_t x, uint64_t y, uint64_t modulus) {
    return x >= y ? x - y : x + modulus - y;
  }

  // Computes x / right_ by a product that is at most one too high.
  [[nodiscard]] uint64_t Left(uint64_t x) const {
    const auto quotient = static_cast<uint64_t>((static_cast<unsigned __int128>(x) * reciprocal_) >> 64);
    return quotient - (quotient * right_ > x ? 1 : 0);
  }

  [[nodiscard]] uint64_t Forward(uint64_t x) const {
    uint64_t left = Left(x);
    uint64_t right = x - left * right_;
    for (uint32_t i = 0; i < rounds_; i += 2) {
      left = Add(left, Hash(right, keys_[i], left_), left_);
      right = Add(right, Hash(left, keys_[i + 1], right_), right_);
    }
    return left * right_ + right;
  }

  [[nodiscard]] uint64_t Backward(uint64_t x) const {
    uint64_t left = Left(x);
    uint64_t right = x - left * right_;
    for (uint32_t i = rounds_; i > 0; i -= 2) {
      right = Subtract(right, Hash(left, keys_[i - 1], right_), right_);
      left = Subtract(left, Hash(right, keys_[i - 2], left_), left_);
    }
    return left * right_ + right;
  }

  uint64_t size_;
  uint64_t left_;   // number of left halves
  uint64_t right_;  // number of right halves
  uint64_t reciprocal_;
  uint32_t rounds_;
  std::array<uint64_t, kMaxRounds> keys_;
};

}  // namespace ofindex
