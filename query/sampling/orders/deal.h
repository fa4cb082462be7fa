#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace ofindex {

/// Whose turn one position is, and the how manieth of that party's turns.
struct Dealt {
  uint32_t party = 0;
  uint64_t number = 0;

  friend bool operator==(const Dealt&, const Dealt&) = default;
};

/// Deals positions 0, 1, 2, ... to parties in fixed proportions: a bijection between positions and the numbers of the
/// turns of all parties, by arithmetic in both directions. Takes 8 to 16 bytes a party. Immutable; may be used by any
/// number of threads.
///
/// The law: a cycle has as many positions as all parties have slots, and party p has slots [begin(p), begin(p + 1)) of
/// it. Position r of cycle c is slot s = Permutation(cycle, SampleKey(key, c)).At(r), and is turn number
/// c * slots(p) + s - begin(p) of the party p that has slot s. So each cycle is exactly in proportion; within one, the
/// numbers of a party come in no order.
class Deal {
 public:
  /// Cycles that InShares() tries to do with.
  static constexpr uint64_t kCycle = 10'000;

  /// `slots` of each party, not all 0; together at most kMostSampled. At most 2^32 - 1 parties.
  Deal(std::span<const uint64_t> slots, uint64_t key);

  /// In proportion to `shares`: with the shortest cycle of at most `cycle` slots that has a whole number of them for
  /// each party, within 1 in 10^9; else with `cycle` slots in the proportions nearest to the shares. A party of a share
  /// above 0 has a slot at least, for which the cycle grows if it must.
  /// Errors: kUsage  a share is negative or no number, or none is above 0; kLimit  too many parties.
  [[nodiscard]] static Result<Deal> InShares(std::span<const double> shares, uint64_t key, uint64_t cycle = kCycle);

  /// Below 2^63. O(1), but for a search among parties of unlike slots.
  [[nodiscard]] Dealt At(uint64_t position) const { return AtUnder(key_, position); }

  /// The same under another key, as if this had been made with it.
  [[nodiscard]] Dealt AtUnder(uint64_t key, uint64_t position) const;

  /// At() of `first`, `first` + `step`, ..., of which `step` is 1 or more. Faster than one by one if it is small.
  void Fill(uint64_t first, uint64_t step, std::span<Dealt> out) const { FillUnder(key_, first, step, out); }
  void FillUnder(uint64_t key, uint64_t first, uint64_t step, std::span<Dealt> out) const;

  /// The position of a turn: At(PositionOf(dealt)) == dealt. The party has slots.
  [[nodiscard]] uint64_t PositionOf(const Dealt& dealt) const;

  [[nodiscard]] uint64_t cycle() const { return begins_.back(); }
  [[nodiscard]] uint32_t parties() const { return static_cast<uint32_t>(begins_.size() - 1); }
  [[nodiscard]] uint64_t slots(uint32_t party) const { return begins_[party + 1] - begins_[party]; }

 private:
  [[nodiscard]] Dealt Owner(uint64_t at, uint64_t slot) const;
  [[nodiscard]] uint32_t Search(uint64_t slot) const;
  void MakeGuide();

  std::vector<uint64_t> begins_;  // of each party's slots, and their end
  uint64_t alike_ = 0;            // the slots of every party, if all have as many
  uint64_t key_;
  std::vector<uint32_t> guide_;  // party of each slot that is a multiple of 2^shift_, and the last one
  uint32_t shift_ = 0;
};

/// `cycle` slots, as near to the proportions of `weights` as whole numbers are: what is left after rounding down goes
/// to the largest remainders, among equals to the first. A weight above 0 has a slot at least, even if they get to be
/// more than `cycle`, which is at most 2^63. Exact in integers.
[[nodiscard]] std::vector<uint64_t> SlotsInProportion(std::span<const uint64_t> weights, uint64_t cycle);

}  // namespace ofindex
