#pragma once

#include <bit>
#include <cstdint>

namespace ofindex {

// Counts and finds bits in words without the POPCNT instruction, which the oldest x86-64 processors lack; after S.
// Vigna, "Broadword Implementation of Rank/Select Queries" (2008), https://vigna.di.unimi.it/ftp/papers/Broadword.pdf.

/// Returns, in each byte, the number of bits set in that byte of `word`.
[[nodiscard]] constexpr uint64_t ByteCounts(uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555U;
  word = (word & 0x3333333333333333U) + ((word >> 2) & 0x3333333333333333U);
  return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
}

/// Returns, in each byte, the sum of that byte of `counts` and all lower ones, at most 255. The highest has the total.
[[nodiscard]] constexpr uint64_t ByteSums(uint64_t counts) { return counts * 0x0101010101010101U; }

/// Returns the number of bits set.
[[nodiscard]] constexpr uint32_t CountBits(uint64_t word) {
  return static_cast<uint32_t>(ByteSums(ByteCounts(word)) >> 56);
}

/// Returns the position of set bit number `k` of `word`, which has more than `k` set bits.
[[nodiscard]] constexpr uint32_t SelectBit(uint64_t word, uint32_t k) {
  const uint64_t sums = ByteSums(ByteCounts(word));
  // The high bit of each byte whose sum is over k; sums are at most 64, so that no byte borrows from the next.
  const uint64_t over = ((sums | 0x8080808080808080U) - (k + uint64_t{1}) * 0x0101010101010101U) & 0x8080808080808080U;
  const auto byte = static_cast<uint32_t>(std::countr_zero(over)) - 7;
  k -= static_cast<uint32_t>(((sums << 8) >> byte) & 0xff);
  uint64_t bits = word >> byte;
  for (; k != 0; --k) bits &= bits - 1;
  return byte + static_cast<uint32_t>(std::countr_zero(bits));
}

}  // namespace ofindex
