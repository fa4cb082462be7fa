#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ofindex {

/// Version of all laws of sampling: which record stands where in an epoch. It changes when any of them does, and a
/// state of another version is refused.
inline constexpr uint32_t kSamplingLaw = 1;

/// Most records that can be put in an order.
inline constexpr uint64_t kMostSampled = uint64_t{1} << 48;

/// A keyed bijection on [0, size): the order of a shuffled epoch, without memory. The same on every machine, frozen by
/// golden vectors; docs/sampling.md has the law and what was measured of it. Immutable; may be used by any number of
/// threads.
///
/// A Feistel network on pairs (left, right) of [0, a) x [0, b), where a is the root of size, rounded up, and b is as
/// small as can be, but 2 at least and never odd together with a: each round adds to one half a hash of the other. The
/// rectangle is larger than size by less than 2a; who falls outside goes through the network again, which happens once
/// in sqrt(size) positions, twice where both would have been odd.
class Permutation {
 public:
  /// `size` is at most kMostSampled.
  Permutation(uint64_t size, uint64_t key) : Permutation(size, key, RoundsFor(size)) {}

  /// With a number of rounds of one's own, 2 to kMostRounds and even, to see what fewer would do.
  Permutation(uint64_t size, uint64_t key, uint32_t rounds);

  [[nodiscard]] uint64_t size() const { return size_; }

  /// The element at `position`, which is less than size(). O(1).
  [[nodiscard]] uint64_t At(uint64_t position) const {
    uint64_t x = Forward(position);
    while (x >= size_) [[unlikely]] x = Forward(x);
    return x;
  }

  /// The elements at `first`, `first` + `step`, ..., all less than size(). Faster than one by one.
  void Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const;

  /// The position of `element`: At(PositionOf(x)) == x. O(1).
  [[nodiscard]] uint64_t PositionOf(uint64_t element) const {
    uint64_t x = Backward(element);
    while (x >= size_) [[unlikely]] x = Backward(x);
    return x;
  }

  static constexpr uint32_t kMostRounds = 24;

  /// Few elements leave a round little to mix, so they get more of them.
  [[nodiscard]] static constexpr uint32_t RoundsFor(uint64_t size) {
    return size < (uint64_t{1} << 10) ? kMostRounds : size < (uint64_t{1} << 16) ? 12 : 6;
  }

 private:
  // A hash of `x` below `below`: its upper half is the better one, and what the product keeps.
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

  // x / right_ by a product that is at most one too much.
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
  uint64_t left_;   // how many left halves there are
  uint64_t right_;  // how many right halves
  uint64_t reciprocal_;
  uint32_t rounds_;
  std::array<uint64_t, kMostRounds> keys_;
};

}  // namespace ofindex
