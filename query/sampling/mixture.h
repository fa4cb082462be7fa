#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/interleave.h"

namespace ofindex {

/// A record of a mixture: position `position` of the epoch `epoch` of one source.
struct MixedPlace {
  uint32_t source = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;

  friend bool operator==(const MixedPlace&, const MixedPlace&) = default;
};

/// An endless order of the records of several sources in fixed proportions. Each source is read epoch after epoch,
/// every position of each epoch exactly once; where one epoch ends and the next begins, they overlap by less than one
/// cycle of the Interleave. Immutable; may be used by any number of threads.
///
/// The algorithm: an Interleave, in which turn n of a source is position n mod size of its epoch n / size.
class Mixture {
 public:
  /// Mixes sources of `sizes` records in proportion to `shares`, with the rules of Interleave. `key` is one of
  /// SampleUse::kMixture. Errors: kUsage if the numbers of shares and sizes differ, a share is invalid, or a source
  /// with a share is empty.
  [[nodiscard]] static Result<Mixture> Make(std::span<const double> shares, std::vector<uint64_t> sizes, uint64_t key);

  /// Returns the record at `position`, which is below 2^63. O(1).
  [[nodiscard]] MixedPlace At(uint64_t position) const { return PlaceOf(interleave_.At(position)); }

  /// Sets `out` to At() of `first`, `first` + `step`, ...; `step` is at least 1. Faster than At() for a small step.
  void Fill(uint64_t first, uint64_t step, std::span<MixedPlace> out) const;

  /// Returns the inverse: At(PositionOf(place)) == place, for a source with a share.
  [[nodiscard]] uint64_t PositionOf(const MixedPlace& place) const {
    return interleave_.PositionOf({place.source, place.epoch * sizes_[place.source] + place.position});
  }

  /// Returns the first of the epochs of `source` that positions `first` to `end` - 1 can read, and the one after the
  /// last; `end` is above `first`.
  [[nodiscard]] std::pair<uint64_t, uint64_t> EpochsOf(uint32_t source, uint64_t first, uint64_t end) const;

  [[nodiscard]] const std::vector<uint64_t>& sizes() const { return sizes_; }
  [[nodiscard]] const Interleave& interleave() const { return interleave_; }

 private:
  Mixture(Interleave interleave, std::vector<uint64_t> sizes)
      : interleave_(std::move(interleave)), sizes_(std::move(sizes)) {}

  [[nodiscard]] MixedPlace PlaceOf(const Turn& turn) const {
    const uint64_t size = sizes_[turn.party];
    return {turn.party, turn.number / size, turn.number % size};
  }

  Interleave interleave_;
  std::vector<uint64_t> sizes_;
};

}  // namespace ofindex
