#include "query/sampling/orders/permutation.h"

#include <algorithm>
#include <cmath>

#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

// Positions that go through the network together, so that their products overlap.
constexpr size_t kNumbersAtOnce = 16;

// Returns the least number whose square is at least `size`; up to 2^32, whose square does not fit in 64 bits.
uint64_t RootAbove(uint64_t size) {
  const auto square_is_below = [size](uint64_t root) { return static_cast<unsigned __int128>(root) * root < size; };
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(size)));
  while (square_is_below(root)) ++root;
  while (root > 1 && !square_is_below(root - 1)) --root;
  return std::max<uint64_t>(root, 1);
}

// Returns the second side of a rectangle that has the side `left` and room for `size` elements: at least 2, and even if
// `left` is odd. If both sides were odd, each round would rotate cycles of odd length only, which is an even
// permutation, and half of all orders would never occur.
uint64_t RightFor(uint64_t size, uint64_t left) {
  const uint64_t right = std::max<uint64_t>(size / left + (size % left != 0 ? 1 : 0), 2);
  return right + (left & right & 1);
}

}  // namespace

Permutation::Permutation(uint64_t size, uint64_t key, uint32_t rounds)
    : size_(size),
      left_(RootAbove(size)),
      right_(RightFor(size, left_)),
      reciprocal_(~uint64_t{0} / right_ + 1),
      rounds_(rounds) {
  for (uint32_t i = 0; i < rounds_; ++i) keys_[i] = SampleKey(key, i);
}

void Permutation::Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const {
  std::array<uint64_t, kNumbersAtOnce> left;
  std::array<uint64_t, kNumbersAtOnce> right;
  size_t done = 0;
  for (; done + kNumbersAtOnce <= out.size(); done += kNumbersAtOnce) {
    for (size_t j = 0; j < kNumbersAtOnce; ++j) {
      const uint64_t position = first + (done + j) * step;
      left[j] = Left(position);
      right[j] = position - left[j] * right_;
    }
    for (uint32_t i = 0; i < rounds_; i += 2) {
      for (size_t j = 0; j < kNumbersAtOnce; ++j) left[j] = Add(left[j], Hash(right[j], keys_[i], left_), left_);
      for (size_t j = 0; j < kNumbersAtOnce; ++j) right[j] = Add(right[j], Hash(left[j], keys_[i + 1], right_), right_);
    }
    for (size_t j = 0; j < kNumbersAtOnce; ++j) out[done + j] = left[j] * right_ + right[j];
  }
  for (size_t j = 0; j < done; ++j) {
    while (out[j] >= size_) [[unlikely]] out[j] = Forward(out[j]);
  }
  for (; done < out.size(); ++done) out[done] = At(first + done * step);
}

}  // namespace ofindex
