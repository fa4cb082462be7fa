#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/stats/picked_chunk.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// Returns the number at `share` of the way from `low` to `high`, `share` from 0 to 1; NaN if two infinities leave it
/// undefined.
[[nodiscard]] double Interpolated(double low, double high, double share);

/// The quartiles of numbers, as doubles: interpolated linearly between two numbers, like numpy's percentile().
struct Quartiles {
  double first = 0;
  double median = 0;
  double third = 0;
};

/// The ranks, from 0 in ascending order, of the six numbers from which the quartiles of `count` numbers are computed:
/// two for each quartile. `count` is not 0.
using QuartileRanks = std::array<uint64_t, 6>;
[[nodiscard]] QuartileRanks RanksOf(uint64_t count);

/// Returns the numbers at `ranks` in `sorted`, which is ascending; `count` is the sum of its counts.
[[nodiscard]] std::array<double, 6> NumbersAt(const QuartileRanks& ranks, const std::vector<Count<double>>& sorted);

/// Returns the quartiles from the numbers at RanksOf(count), or nothing if two infinities leave one undefined.
[[nodiscard]] std::optional<Quartiles> QuartilesOf(uint64_t count, const std::array<double, 6>& numbers);

/// Finds the numbers of given ranks among more numbers than fit in memory. Each pass over all numbers counts them by 16
/// more bits of their 64-bit sort key, the highest bits first. Integers are rounded to the nearest double. Not
/// thread-safe.
class RankSearch {
 public:
  static constexpr int kPasses = 4;

  explicit RankSearch(const QuartileRanks& ranks);

  /// Counts how often each value of the next 16 bits follows one of the current prefixes in `picked`. Thread-safe.
  using Tally = std::vector<uint64_t>;
  [[nodiscard]] Tally Count(const PickedChunk& picked) const;

  /// Ends a pass, given the sum of the tallies of all chunks.
  void Narrow(const Tally& sum);

  /// The numbers found; valid after kPasses passes.
  [[nodiscard]] std::array<double, 6> numbers() const;

 private:
  static constexpr uint32_t kBits = 16;

  [[nodiscard]] uint32_t shift() const { return 64 - kBits * (pass_ + 1); }
  [[nodiscard]] size_t PlaceOf(uint64_t prefix) const;

  QuartileRanks ranks_;  // among the numbers with the prefix
  std::array<uint64_t, 6> prefixes_{};
  std::vector<uint64_t> distinct_ = {0};  // the distinct prefixes, ascending
  uint32_t pass_ = 0;
};

}  // namespace ofindex
