#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace ofindex {

/// 128 bits of which few differ between things that look alike.
struct SimilarityHash {
  std::array<uint64_t, 2> words = {};

  static constexpr unsigned kBits = 128;
  static constexpr size_t kBytes = kBits / 8;

  /// The greatest number of bits by which two may differ and still be found (near_groups.h).
  static constexpr unsigned kMaxDistance = 31;

  static constexpr unsigned kDefaultDistance = 20;

  auto operator<=>(const SimilarityHash&) const = default;

  /// Returns true for the hash of what a decoder cannot tell from others.
  [[nodiscard]] bool is_empty() const { return *this == SimilarityHash(); }

  /// Returns the number of bits in which this one and `other` differ: their Hamming distance.
  [[nodiscard]] unsigned DistanceTo(const SimilarityHash& other) const {
    int bits = 0;
    for (size_t i = 0; i < words.size(); ++i) bits += std::popcount(words[i] ^ other.words[i]);
    return static_cast<unsigned>(bits);
  }
};

/// The hash of one record, numbered by RecordNumbers.
struct SimilarityEntry {
  SimilarityHash hash = {};
  uint64_t record = 0;

  auto operator<=>(const SimilarityEntry&) const = default;
};

}  // namespace ofindex
