#include "query/sampling/columns/grouped_strata.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/progress.h"
#include "base/text.h"
#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

uint32_t GroupIn(int64_t key) { return static_cast<uint32_t>(key >> 32); }
uint32_t ClassIn(int64_t key) { return static_cast<uint32_t>(key); }

/// The records of each class that each party has, and those that it should have.
class PartyFill {
 public:
  PartyFill(std::span<const double> shares, std::vector<double> totals)
      : shares_(shares),
        totals_(std::move(totals)),
        filled_(shares.size() * totals_.size()),
        all_total_(std::accumulate(totals_.begin(), totals_.end(), 0.0)),
        all_filled_(shares.size()) {}

  // Returns by how much the deviation of `party` grows with a group of `counts`.
  [[nodiscard]] double CostOf(std::span<const Count<int64_t>> counts, size_t party) const {
    double cost = 0;
    double all = 0;
    for (const Count<int64_t>& entry : counts) {
      const uint32_t of_class = ClassIn(entry.key);
      const auto count = static_cast<double>(entry.count);
      cost += CostOf(count, filled_[of_class * shares_.size() + party], shares_[party] * totals_[of_class]);
      all += count;
    }
    return cost + static_cast<double>(totals_.size()) * CostOf(all, all_filled_[party], shares_[party] * all_total_);
  }

  void Add(std::span<const Count<int64_t>> counts, size_t party) {
    for (const Count<int64_t>& entry : counts) {
      filled_[ClassIn(entry.key) * shares_.size() + party] += static_cast<double>(entry.count);
      all_filled_[party] += static_cast<double>(entry.count);
    }
  }

 private:
  static double CostOf(double count, double filled, double target) {
    return count * (count + 2 * (filled - target)) / (target + 1);
  }

  std::span<const double> shares_;
  std::vector<double> totals_;  // by class
  std::vector<double> filled_;  // by class, then by party
  double all_total_;
  std::vector<double> all_filled_;  // by party
};

}  // namespace

uint32_t GroupedStrata::GroupOf(uint64_t value) {
  const auto [found, is_new] = groups_.try_emplace(value, static_cast<uint32_t>(values_.size()));
  if (is_new) values_.push_back(value);
  return found->second;
}

uint32_t GroupedStrata::ClassOf(uint64_t value) {
  return classes_.try_emplace(value, static_cast<uint32_t>(classes_.size())).first->second;
}

Result<void> GroupedStrata::Add(uint32_t group, uint32_t its_class) {
  if (values_.size() > kMaxGroups || classes_.size() > kMaxGroups) {
    return Fail(ErrorCode::kLimit,
                StrCat("a split with over ", FormatCount(kMaxGroups), " groups or classes; expected at most that"),
                "use columns with fewer values");
  }
  counts_.Add(static_cast<int64_t>(uint64_t{group} << 32 | its_class), 1);
  if (counts_.due()) counts_.Settle();
  return {};
}

std::vector<uint32_t> GroupedStrata::Order(const std::vector<size_t>& begins, uint64_t key) const {
  struct Place {
    int width;
    uint64_t hash;
    uint32_t group;
  };
  std::vector<Place> places(values_.size());
  for (uint32_t g = 0; g < places.size(); ++g) {
    uint64_t records = 0;
    for (size_t i = begins[g]; i < begins[g + 1]; ++i) records += counts_.all()[i].count;
    places[g] = {static_cast<int>(std::bit_width(records)), SampleKey(key, values_[g]), g};
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.width != b.width ? a.width > b.width : a.hash < b.hash; });
  std::vector<uint32_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.group);
  return order;
}

Result<std::vector<uint32_t>> GroupedStrata::Assign(std::span<const double> shares, uint64_t key,
                                                    const std::atomic<bool>* cancel) {
  counts_.Settle();
  const std::vector<Count<int64_t>>& counts = counts_.all();
  std::vector<double> totals(classes_.size());
  std::vector<size_t> begins(values_.size() + 1);
  for (const Count<int64_t>& entry : counts) {
    totals[ClassIn(entry.key)] += static_cast<double>(entry.count);
    ++begins[GroupIn(entry.key) + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  PartyFill fill(shares, std::move(totals));
  std::vector<uint32_t> party_of(values_.size());
  for (const uint32_t group : Order(begins, key)) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return Interrupted();
    const auto own = std::span(counts).subspan(begins[group], begins[group + 1] - begins[group]);
    const uint64_t hash = SampleKey(key, values_[group]);
    double least = std::numeric_limits<double>::infinity();
    for (uint32_t party = 0; party < shares.size(); ++party) {
      const double cost = fill.CostOf(own, party);
      const bool equal = cost == least && SampleKey(hash, party) < SampleKey(hash, party_of[group]);
      if (cost < least || equal) party_of[group] = party;
      least = std::min(least, cost);
    }
    fill.Add(own, party_of[group]);
  }
  return party_of;
}

}  // namespace ofindex
