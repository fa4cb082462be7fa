#include "query/sampling/mixture.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace ofindex {

Result<Mixture> Mixture::Make(std::span<const double> shares, std::vector<uint64_t> sizes, uint64_t key) {
  if (shares.size() != sizes.size()) {
    return Fail(ErrorCode::kUsage, StrCat("a mixture has a share for each source; expected ", sizes.size(),
                                          " shares, got ", shares.size()));
  }
  OFINDEX_ASSIGN(Interleave interleave, Interleave::InShares(shares, key));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (shares[i] > 0 && sizes[i] == 0) {
      return Fail(ErrorCode::kUsage, StrCat("source ", i, " of the mixture has no records"), "leave it out");
    }
  }
  return Mixture(std::move(interleave), std::move(sizes));
}

std::pair<uint64_t, uint64_t> Mixture::EpochsOf(uint32_t source, uint64_t first, uint64_t end) const {
  const uint64_t slots = interleave_.slots(source);
  if (slots == 0) return {0, 0};
  // A cycle has the same turns whatever their order.
  const uint64_t turns = ((end - 1) / interleave_.cycle() + 1) * slots;
  return {first / interleave_.cycle() * slots / sizes_[source], (turns - 1) / sizes_[source] + 1};
}

void Mixture::Fill(uint64_t first, uint64_t step, std::span<MixedPlace> out) const {
  std::array<Turn, 256> turn;
  for (size_t done = 0; done < out.size();) {
    const std::span some(turn.data(), std::min(turn.size(), out.size() - done));
    interleave_.Fill(first + done * step, step, some);
    for (const Turn& one : some) out[done++] = PlaceOf(one);
  }
}

}  // namespace ofindex
