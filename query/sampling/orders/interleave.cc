#include "query/sampling/orders/interleave.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "query/sampling/orders/permutation.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

using Wide = unsigned __int128;

constexpr size_t kSlotsAtOnce = 64;            // slots looked up together
constexpr double kWhole = 1e-9;                // relative distance within which a number counts as whole
constexpr double kUnits = 9007199254740992.0;  // 2^53: what shares are rounded to before they are divided
constexpr double kMinTotal = 1e-290;           // so that no product overflows or loses digits
constexpr double kMaxTotal = 1e290;
constexpr uint64_t kMaxParties = ~uint32_t{0} - 1;  // so that a party and an end fit 32 bits

Result<double> TotalOf(std::span<const double> shares) {
  double total = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (!std::isfinite(shares[i]) || shares[i] < 0) {
      return Fail(ErrorCode::kUsage, StrCat("share ", i, ": expected a number of 0 or more"));
    }
    total += shares[i];
  }
  if (total == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("no share of ", Counted(shares.size(), "source"), " is above 0; expected one"));
  }
  if (total < kMinTotal || total > kMaxTotal) {
    return Fail(
        ErrorCode::kUsage,
        StrCat("the shares of ", Counted(shares.size(), "source"), " are too large or too small to be added up"),
        "give shares such as 0.7 and 0.3");
  }
  return total;
}

// Returns the slots of a cycle, if each share has a whole number of them. The division comes last, so that no compiler
// can merge two roundings into one.
bool WholeSlots(std::span<const double> shares, double total, uint64_t cycle, std::vector<uint64_t>& slots) {
  uint64_t sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double due = shares[i] * static_cast<double>(cycle) / total;
    const double whole = std::nearbyint(due);
    if (std::abs(due - whole) > kWhole * due || (whole == 0) != (shares[i] == 0)) return false;
    slots[i] = static_cast<uint64_t>(whole);
    sum += slots[i];
  }
  return sum == cycle;
}

}  // namespace

Interleave::Interleave(std::span<const uint64_t> slots, uint64_t key) : key_(key) {
  begins_.reserve(slots.size() + 1);
  begins_.push_back(0);
  for (const uint64_t count : slots) begins_.push_back(begins_.back() + count);
  if (std::all_of(slots.begin(), slots.end(), [&](uint64_t count) { return count == slots[0]; })) {
    uniform_slots_ = slots[0];
  } else {
    MakeGuide();
  }
}

// About one entry per party, so that for most slots only one party is examined.
void Interleave::MakeGuide() {
  while ((cycle() - 1) >> shift_ >= 2 * uint64_t{parties()}) ++shift_;
  guide_.reserve(((cycle() - 1) >> shift_) + 2);
  uint32_t party = 0;
  for (uint64_t slot = 0; slot < cycle(); slot += uint64_t{1} << shift_) {
    while (begins_[party + 1] <= slot) ++party;
    guide_.push_back(party);
  }
  guide_.push_back(parties() - 1);
}

Result<Interleave> Interleave::InShares(std::span<const double> shares, uint64_t key, uint64_t cycle) {
  if (shares.size() > kMaxParties) {
    return Fail(ErrorCode::kLimit,
                StrCat(FormatCount(shares.size()), " shares; expected at most ", FormatCount(kMaxParties)),
                "mix fewer sources");
  }
  OFINDEX_ASSIGN(const double total, TotalOf(shares));
  const auto parties =
      static_cast<uint64_t>(std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; }));
  std::vector<uint64_t> slots(shares.size());
  for (uint64_t tried = parties; tried <= std::max(cycle, parties); ++tried) {
    if (WholeSlots(shares, total, tried, slots)) return Interleave(slots, key);
  }
  for (size_t i = 0; i < shares.size(); ++i) {
    const auto units = static_cast<uint64_t>(std::nearbyint(shares[i] / total * kUnits));
    slots[i] = shares[i] > 0 ? std::max<uint64_t>(units, 1) : 0;
  }
  return Interleave(SlotsInProportion(slots, std::max(cycle, parties)), key);
}

uint32_t Interleave::Search(uint64_t slot) const {
  const uint64_t bucket = slot >> shift_;
  const auto first = begins_.begin() + guide_[bucket];
  const auto last = begins_.begin() + guide_[bucket + 1] + 1;
  return static_cast<uint32_t>(std::upper_bound(first, last, slot) - begins_.begin() - 1);
}

Turn Interleave::Owner(uint64_t at, uint64_t slot) const {
  if (uniform_slots_ == 1) return {static_cast<uint32_t>(slot), at};
  const uint32_t party = uniform_slots_ != 0 ? static_cast<uint32_t>(slot / uniform_slots_) : Search(slot);
  return {party, at * slots(party) + slot - begins_[party]};
}

Turn Interleave::AtUnder(uint64_t key, uint64_t position) const {
  const uint64_t at = position / cycle();
  return Owner(at, Permutation(cycle(), SampleKey(key, at)).At(position % cycle()));
}

void Interleave::FillUnder(uint64_t key, uint64_t first, uint64_t step, std::span<Turn> out) const {
  std::optional<Permutation> order;
  uint64_t ordered = 0;
  std::array<uint64_t, kSlotsAtOnce> slots;
  for (size_t done = 0; done < out.size();) {
    const uint64_t position = first + done * step;
    const uint64_t at = position / cycle();
    const uint64_t begin = position % cycle();
    if (!order || at != ordered) order.emplace(cycle(), SampleKey(key, at));
    ordered = at;
    const uint64_t in_cycle = (cycle() - 1 - begin) / step + 1;
    const std::span some(slots.data(), std::min<uint64_t>({slots.size(), out.size() - done, in_cycle}));
    order->Fill(begin, step, some);
    for (const uint64_t slot : some) out[done++] = Owner(at, slot);
  }
}

uint64_t Interleave::PositionOf(const Turn& turn) const {
  const uint64_t at = turn.number / slots(turn.party);
  const uint64_t slot = begins_[turn.party] + turn.number % slots(turn.party);
  return at * cycle() + Permutation(cycle(), SampleKey(key_, at)).PositionOf(slot);
}

std::vector<uint64_t> SlotsInProportion(std::span<const uint64_t> weights, uint64_t cycle) {
  struct Remainder {
    Wide units;
    size_t party;
  };
  Wide total = 0;
  for (const uint64_t weight : weights) total += weight;
  std::vector<uint64_t> slots(weights.size());
  std::vector<Remainder> remainders;
  uint64_t given = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const Wide due = Wide{weights[i]} * cycle;
    slots[i] = std::max<uint64_t>(static_cast<uint64_t>(due / total), 1);
    given += slots[i];
    if (due > total) remainders.push_back({due % total, i});
  }
  if (given >= cycle) return slots;
  const auto left = static_cast<std::ptrdiff_t>(std::min<uint64_t>(cycle - given, remainders.size()));
  std::partial_sort(remainders.begin(), remainders.begin() + left, remainders.end(),
                    [](const Remainder& a, const Remainder& b) {
                      return a.units != b.units ? a.units > b.units : a.party < b.party;
                    });
  for (std::ptrdiff_t i = 0; i < left; ++i) ++slots[remainders[static_cast<size_t>(i)].party];
  return slots;
}

}  // namespace ofindex
