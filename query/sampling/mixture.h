#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/sampling/orders/deal.h"

namespace ofindex {

/// A record of a mixture: position `position` of the epoch `epoch` of one source.
struct MixedPlace {
  uint32_t source = 0;
  uint64_t epoch = 0;
  uint64_t position = 0;

  friend bool operator==(const MixedPlace&, const MixedPlace&) = default;
};

/// An endless order of the records of several sources in fixed proportions. Each source is read epoch after epoch,
/// every position of each epoch exactly once; where one epoch ends and the next begins they overlap by less than a
/// cycle of the deal. Immutable; may be used by any number of threads.
///
/// The law: a Deal, whose turn number n of a source is position n mod size of its epoch n / size.
class Mixture {
 public:
  /// Of sources of `sizes` records in proportion to `shares`, for which Deal has the rules. `key` is one of
  /// SampleUse::kMixture. Errors: kUsage  not as many shares as sizes, a share makes no sense, or a source that has a
  /// share is empty.
  [[nodiscard]] static Result<Mixture> Make(std::span<const double> shares, std::vector<uint64_t> sizes, uint64_t key);

  /// `position` is below 2^63. O(1).
  [[nodiscard]] MixedPlace At(uint64_t position) const { return PlaceOf(deal_.At(position)); }

  /// At() of `first`, `first` + `step`, ..., of which `step` is 1 or more. Faster than one by one if it is small.
  void Fill(uint64_t first, uint64_t step, std::span<MixedPlace> out) const;

  /// At(PositionOf(place)) == place, for a source that has a share.
  [[nodiscard]] uint64_t PositionOf(const MixedPlace& place) const {
    return deal_.PositionOf({place.source, place.epoch * sizes_[place.source] + place.position});
  }

  [[nodiscard]] const std::vector<uint64_t>& sizes() const { return sizes_; }
  [[nodiscard]] const Deal& deal() const { return deal_; }

 private:
  Mixture(Deal deal, std::vector<uint64_t> sizes) : deal_(std::move(deal)), sizes_(std::move(sizes)) {}

  [[nodiscard]] MixedPlace PlaceOf(const Dealt& dealt) const {
    const uint64_t size = sizes_[dealt.party];
    return {dealt.party, dealt.number / size, dealt.number % size};
  }

  Deal deal_;
  std::vector<uint64_t> sizes_;
};

}  // namespace ofindex
