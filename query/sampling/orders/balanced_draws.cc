#include "query/sampling/orders/balanced_draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

constexpr uint64_t kMinCycle = uint64_t{1} << 20;
constexpr uint64_t kSlotsPerClass = 256;

std::vector<uint64_t> SlotsOf(std::span<const uint64_t> counts, double temperature) {
  std::vector<uint64_t> weights = ClassWeights(counts, temperature);
  if (std::isinf(temperature)) return weights;
  if (temperature == 1) {
    uint64_t divisor = 0;
    for (const uint64_t weight : weights) divisor = std::gcd(divisor, weight);
    for (uint64_t& weight : weights) weight /= divisor;
    return weights;
  }
  return SlotsInProportion(weights, std::max(kMinCycle, std::bit_ceil(kSlotsPerClass * counts.size())));
}

}  // namespace

Result<std::shared_ptr<const BalancedClasses>> BalancedClasses::Make(uint32_t classes, double temperature,
                                                                     const Deliver& deliver) {
  if (!(temperature >= 1))
    return Fail(ErrorCode::kUsage, "temperature: expected a number of at least 1",
                "1 draws values as often as they occur");
  return WithMemory("the members of classes", [&]() -> Result<std::shared_ptr<const BalancedClasses>> {
    std::vector<uint64_t> counts(classes);
    uint64_t items = 0;
    OFINDEX_TRY(deliver([&](std::span<const uint32_t> some) {
      items += some.size();
      for (const uint32_t number : some) {
        if (number < classes) ++counts[number];
      }
    }));
    if (items > kMaxItems) {
      return Fail(
          ErrorCode::kLimit,
          StrCat("balanced draws of ", FormatCount(items), " records; expected at most ", FormatCount(kMaxItems)),
          "draw from fewer records, selected with --where");
    }
    std::vector<uint64_t> begins = {0};
    begins.reserve(counts.size() + 1);
    for (const uint64_t count : counts) begins.push_back(begins.back() + count);
    if (begins.back() == 0) {
      return Fail(ErrorCode::kUsage, "balance: no record has a value, so there is nothing to draw",
                  "balance by a column that has values");
    }
    Interleave interleave(SlotsOf(counts, temperature), 0);
    std::vector<uint32_t> members(begins.back());
    std::vector<uint64_t>& next = counts;
    std::copy(begins.begin(), begins.end() - 1, next.begin());
    uint32_t item = 0;
    OFINDEX_TRY(deliver([&](std::span<const uint32_t> some) {
      for (const uint32_t number : some) {
        if (number < classes && next[number] < begins[number + 1]) members[next[number]++] = item;
        ++item;
      }
    }));
    return std::shared_ptr<const BalancedClasses>(
        new BalancedClasses(std::move(begins), std::move(members), std::move(interleave)));
  });
}

void BalancedDraws::Fill(uint64_t first, uint64_t step, std::span<uint64_t> out) const {
  std::array<Turn, 256> turn;
  for (size_t done = 0; done < out.size();) {
    const std::span some(turn.data(), std::min(turn.size(), out.size() - done));
    classes_->interleave().FillUnder(interleave_key_, first + done * step, step, some);
    for (const Turn& one : some) out[done++] = ItemOf(one);
  }
}

uint64_t BalancedDraws::ItemOf(const Turn& turn) const {
  const uint64_t count = classes_->count(turn.party);
  if (count == 1) return classes_->member(turn.party, 0);
  const uint64_t key = SampleKey(SampleKey(member_key_, turn.party), turn.number / count);
  return classes_->member(turn.party, Permutation(count, key).At(turn.number % count));
}

}  // namespace ofindex
