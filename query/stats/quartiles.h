#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/stats/picked_chunk.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// The values that a quarter, a half and three quarters of the numbers are not above, as doubles: where that falls
/// between two numbers, the point between them in proportion, as numpy's percentile() has it.
struct Quartiles {
  double first = 0;
  double median = 0;
  double third = 0;
};

/// The places in ascending order, from 0, of the six numbers that the quartiles of `count` numbers, which is not 0, are
/// made of: two for each quartile.
using QuartileRanks = std::array<uint64_t, 6>;
[[nodiscard]] QuartileRanks RanksOf(uint64_t count);

/// Those numbers. In `sorted`, which ascends; `count` is the sum of its counts.
[[nodiscard]] std::array<double, 6> NumbersAt(const QuartileRanks& ranks, const std::vector<Count<double>>& sorted);

/// The quartiles, of the numbers at RanksOf(count). Nothing if two infinities leave one undefined.
[[nodiscard]] std::optional<Quartiles> QuartilesOf(uint64_t count, const std::array<double, 6>& numbers);

/// Finds the numbers of some ranks among any number of numbers that nobody can hold: each pass over all of them settles
/// 16 of the 64 bits of their order, by counting. Integers are taken as the doubles next to them. Not thread-safe.
class RankSearch {
 public:
  static constexpr int kPasses = 4;

  explicit RankSearch(const QuartileRanks& ranks);

  /// How often each of the next 16 bits follows one of the prefixes that are searched, in `picked`. Thread-safe.
  using Tally = std::vector<uint64_t>;
  [[nodiscard]] Tally Count(const PickedChunk& picked) const;

  /// Ends a pass, with the sum of the tallies of all chunks.
  void Narrow(const Tally& sum);

  /// After kPasses passes.
  [[nodiscard]] std::array<double, 6> numbers() const;

 private:
  static constexpr uint32_t kBits = 16;

  [[nodiscard]] uint32_t shift() const { return 64 - kBits * (pass_ + 1); }
  [[nodiscard]] size_t PlaceOf(uint64_t prefix) const;

  QuartileRanks ranks_;  // among the numbers that have the prefix
  std::array<uint64_t, 6> prefixes_{};
  std::vector<uint64_t> distinct_ = {0};  // of the prefixes, ascending
  uint32_t pass_ = 0;
};

}  // namespace ofindex
