#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// The party whose turn a position is, and the index of this turn.
struct Turn {
  uint32_t party = 0;
  uint64_t number = 0;

  friend bool operator==(const Turn&, const Turn&) = default;
};

/// A proportional interleave of parties over positions 0, 1, 2, ...: a bijection between positions and the numbered
/// turns of all parties, by arithmetic in both directions. Takes 8 to 16 bytes per party. Immutable; may be used by any
/// number of threads.
///
/// The algorithm: a cycle has as many positions as all parties have slots, and party p has slots [begin(p), begin(p +
/// 1)) of it. Position r of cycle c is slot s = Permutation(cycle, SampleKey(key, c)).At(r), and is turn number c *
/// slots(p) + s - begin(p) of the party p that has slot s. So each cycle is exactly in proportion; within a cycle, the
/// turns of a party are in no particular order.
class Interleave {
 public:
  /// The longest cycle that InShares() uses by default.
  static constexpr uint64_t kCycle = 10'000;

  /// Gives each party its number of `slots`, not all 0, with a sum of at most kMaxSampled. At most 2^32 - 1 parties.
  Interleave(std::span<const uint64_t> slots, uint64_t key);

  /// Makes an Interleave in proportion to `shares`: with the shortest cycle of at most `cycle` slots that has a whole
  /// number of them for each party, within 1 in 10^9; otherwise with `cycle` slots in the proportions nearest to the
  /// shares. A party with a share above 0 has at least one slot; the cycle grows if necessary.
  /// Errors: kUsage if a share is negative or not a number, or none is above 0; kLimit if there are too many parties.
  [[nodiscard]] static Result<Interleave> InShares(std::span<const double> shares, uint64_t key,
                                                   uint64_t cycle = kCycle);

  /// Returns the turn at `position`, below 2^63. O(1), except for a search among parties if their slots differ.
  [[nodiscard]] Turn At(uint64_t position) const { return AtUnder(key_, position); }

  /// Does the same as if this object had been made with `key`.
  [[nodiscard]] Turn AtUnder(uint64_t key, uint64_t position) const;

  /// Sets `out` to At() of `first`, `first` + `step`, ...; `step` is at least 1. Faster than At() for a small step.
  void Fill(uint64_t first, uint64_t step, std::span<Turn> out) const { FillUnder(key_, first, step, out); }
  void FillUnder(uint64_t key, uint64_t first, uint64_t step, std::span<Turn> out) const;

  /// Returns the position of a turn: At(PositionOf(turn)) == turn. The party must have slots.
  [[nodiscard]] uint64_t PositionOf(const Turn& turn) const;

  [[nodiscard]] uint64_t cycle() const { return begins_.back(); }
  [[nodiscard]] uint32_t parties() const { return static_cast<uint32_t>(begins_.size() - 1); }
  [[nodiscard]] uint64_t slots(uint32_t party) const { return begins_[party + 1] - begins_[party]; }

 private:
  [[nodiscard]] Turn Owner(uint64_t at, uint64_t slot) const;
  [[nodiscard]] uint32_t Search(uint64_t slot) const;
  void MakeGuide();

  std::vector<uint64_t> begins_;  // of each party's slots, and the end of the last
  uint64_t uniform_slots_ = 0;    // the slots of every party, if all have the same number
  uint64_t key_;
  std::vector<uint32_t> guide_;  // party of each slot that is a multiple of 2^shift_, and the last party
  uint32_t shift_ = 0;
};

/// Returns `cycle` slots in the whole-number proportions nearest to `weights`: slots left after rounding down go to the
/// largest remainders, among equals to the first. A weight above 0 has at least one slot, even if the sum then exceeds
/// `cycle`, which is at most 2^63. Exact in integers.
[[nodiscard]] std::vector<uint64_t> SlotsInProportion(std::span<const uint64_t> weights, uint64_t cycle);

}  // namespace ofindex
