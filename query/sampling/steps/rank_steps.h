#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "query/sampling/steps/read_positions.h"

namespace ofindex {

/// What happens to the last positions of an epoch that do not fill a step of all ranks.
enum class Tail : uint8_t {
  kExact,  ///< they are read like all others: every record once, and ranks differ by at most one record
  kPad,    ///< short ranks repeat records from the start of the epoch, so that all ranks read the same number
  kDrop,   ///< they are not read, so that all ranks read the same number
};

/// The positions that each rank of an epoch reads, from where all ranks begin: rank r of w reads numbers r, r + w,
/// r + 2w, ... of the positions that are left. A step is one position of each rank. A value type.
class RankSteps {
 public:
  /// The ranks, `world` of them, begin at the position `begin`, or at the end of the epoch if that is less.
  RankSteps(ReadPositions positions, uint64_t begin, uint64_t world, Tail tail);

  /// A step of a rank.
  struct Place {
    uint64_t rank = 0;
    uint64_t step = 0;  ///< positions that this rank reads before it

    friend bool operator==(const Place&, const Place&) = default;
  };

  [[nodiscard]] uint64_t begin() const { return begin_; }
  [[nodiscard]] const ReadPositions& positions() const { return positions_; }

  /// Returns the number of positions that `rank` reads. No rank reads more than rank 0.
  [[nodiscard]] uint64_t StepsOf(uint64_t rank) const;

  /// Returns the position of all ranks if each has made `steps` steps: the next position that any rank reads.
  [[nodiscard]] uint64_t PositionAfter(uint64_t steps) const;

  /// Returns the number of positions from begin() to before `position` that are read.
  [[nodiscard]] uint64_t CountBefore(uint64_t position) const;

  /// Returns all places at which `position` is read: none if it is skipped, dropped or lies before begin(), more than
  /// one if Tail::kPad repeats it. Ascending.
  [[nodiscard]] std::vector<Place> PlacesOf(uint64_t position) const;

  /// Passes the positions of steps `first`, `first` + `each`, ... of `rank`, `count` of them, to `body(position,
  /// stride, n)`, which takes the positions position, position + stride, ..., n of them. All steps must exist.
  template <typename Body>
  void ForEachRun(uint64_t rank, uint64_t first, uint64_t each, uint64_t count, Body body) const {
    const uint64_t stride = world_ * each;
    uint64_t number = before_ + rank + first * world_;
    while (count > 0) {
      // Numbers after the last belong to a padded tail, which starts over, possibly more than once.
      const uint64_t position = positions_.At(number % positions_.count());
      const uint64_t n = std::min((positions_.RunEnd(position) - position - 1) / stride + 1, count);
      body(position, stride, n);
      number += n * stride;
      count -= n;
    }
  }

 private:
  ReadPositions positions_;
  uint64_t begin_;
  uint64_t world_;
  Tail tail_;
  uint64_t before_;  // read positions before begin_
  uint64_t left_;    // read positions from begin_ on
};

}  // namespace ofindex
