#include "query/stats/quartiles.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "query/columns/chunk_numbers.h"

namespace ofindex {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

// Maps the bits of a double that is not NaN to integers in the order of the doubles; and back.
uint64_t OrderedBits(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double FromOrderedBits(uint64_t bits) { return std::bit_cast<double>((bits & kSign) != 0 ? bits ^ kSign : ~bits); }

// Returns the rank of quartile `k` of `count` numbers, in quarters.
unsigned __int128 QuartersOf(uint64_t count, unsigned k) { return static_cast<unsigned __int128>(count - 1) * k; }

}  // namespace

double Interpolated(double low, double high, double share) {
  if (low == high || share == 0) return low;
  const auto from = static_cast<long double>(low);
  return static_cast<double>(from + (static_cast<long double>(high) - from) * static_cast<long double>(share));
}

QuartileRanks RanksOf(uint64_t count) {
  QuartileRanks ranks{};
  for (unsigned k = 1; k <= 3; ++k) {
    const auto low = static_cast<uint64_t>(QuartersOf(count, k) / 4);
    ranks[2 * k - 2] = low;
    ranks[2 * k - 1] = std::min(low + 1, count - 1);
  }
  return ranks;
}

std::array<double, 6> NumbersAt(const QuartileRanks& ranks, const std::vector<Count<double>>& sorted) {
  std::array<double, 6> numbers{};
  uint64_t before = 0;
  for (const auto& [value, count] : sorted) {
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] >= before && ranks[i] - before < count) numbers[i] = value;
    }
    before += count;
  }
  return numbers;
}

std::optional<Quartiles> QuartilesOf(uint64_t count, const std::array<double, 6>& numbers) {
  std::array<double, 3> found{};
  for (unsigned k = 1; k <= 3; ++k) {
    const double share = static_cast<double>(static_cast<uint64_t>(QuartersOf(count, k) % 4)) / 4;
    found[k - 1] = Interpolated(numbers[2 * k - 2], numbers[2 * k - 1], share);
    if (std::isnan(found[k - 1])) return std::nullopt;
  }
  return Quartiles{found[0], found[1], found[2]};
}

RankSearch::RankSearch(const QuartileRanks& ranks) : ranks_(ranks) {}

size_t RankSearch::PlaceOf(uint64_t prefix) const {
  return static_cast<size_t>(std::lower_bound(distinct_.begin(), distinct_.end(), prefix) - distinct_.begin());
}

RankSearch::Tally RankSearch::Count(const PickedChunk& picked) const {
  Tally tally(distinct_.size() << kBits);
  const uint32_t low = shift();
  const auto count = [&](uint32_t record, double value) {
    if (std::isnan(value)) return;
    const uint64_t known = OrderedBits(value) >> low;
    const uint64_t prefix = known >> kBits;
    const size_t place = PlaceOf(prefix);
    if (place == distinct_.size() || distinct_[place] != prefix) return;
    tally[place << kBits | (known & ((1U << kBits) - 1))] += picked.TimesOf(record);
  };
  ForEachNumber(
      *picked.chunk, [&](uint32_t record, int64_t value) { count(record, static_cast<double>(value)); }, count);
  return tally;
}

void RankSearch::Narrow(const Tally& sum) {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const size_t first = PlaceOf(prefixes_[i]) << kBits;
    size_t next = 0;
    while (next + 1 < size_t{1} << kBits && ranks_[i] >= sum[first + next]) ranks_[i] -= sum[first + next++];
    prefixes_[i] = prefixes_[i] << kBits | next;
  }
  distinct_.assign(prefixes_.begin(), prefixes_.end());
  std::sort(distinct_.begin(), distinct_.end());
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  ++pass_;
}

std::array<double, 6> RankSearch::numbers() const {
  std::array<double, 6> numbers{};
  std::transform(prefixes_.begin(), prefixes_.end(), numbers.begin(), FromOrderedBits);
  return numbers;
}

}  // namespace ofindex
