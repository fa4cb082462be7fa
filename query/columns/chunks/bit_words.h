#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/bytes.h"

namespace ofindex {

// Bitmaps over the records of a block: 64 records per word, record 0 in the lowest bit of the first. Bits after the
// last record are 0.

/// Returns the number of words in a bitmap of `records` records.
[[nodiscard]] constexpr uint32_t WordCount(uint32_t records) { return records / 64 + (records % 64 != 0 ? 1 : 0); }

/// Returns the bits of word `word` that stand for records, in a block of `records`.
[[nodiscard]] constexpr uint64_t RecordBits(uint32_t records, uint32_t word) {
  const uint32_t left = records - word * 64;
  return left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
}

[[nodiscard]] inline bool BitAt(std::span<const uint64_t> words, uint32_t i) {
  return ((words[i / 64] >> (i % 64)) & 1) != 0;
}

/// Returns 64 bytes of 0 or 1 as the bits of a word. A multiplication gathers the lowest bits of eight bytes in the
/// highest byte.
[[nodiscard]] inline uint64_t GatherBits(const uint8_t* flags) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= ((LoadLe64(flags + 8 * i) * 0x0102040810204080U) >> 56) << (8 * i);
  return word;
}

/// Sets the bit of each record r of `records` for which `hit(r)` is true. `hit` must be free of branches and side
/// effects: it is called for 64 records at a time, in a loop that the compiler vectorizes.
template <typename Hit>
void FillWords(uint32_t records, std::span<uint64_t> words, Hit hit) {
  alignas(64) uint8_t flags[64];
  const uint32_t full = records / 64;
  for (uint32_t w = 0; w < full; ++w) {
    for (uint32_t i = 0; i < 64; ++i) flags[i] = static_cast<uint8_t>(hit(w * 64 + i));
    words[w] = GatherBits(flags);
  }
  if (records % 64 == 0) return;
  std::memset(flags, 0, sizeof flags);
  for (uint32_t i = 0; i < records % 64; ++i) flags[i] = static_cast<uint8_t>(hit(full * 64 + i));
  words[full] = GatherBits(flags);
}

}  // namespace ofindex
