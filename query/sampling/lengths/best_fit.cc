#include "query/sampling/lengths/best_fit.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace ofindex {
namespace {

// The rows that are not full, by the tokens left in each.
class OpenRows {
 public:
  explicit OpenRows(const RowRoom& room) : room_(room) {}

  // Puts a sequence into the row that it fits best, and returns the row, counted in the order of opening.
  uint32_t Put(uint64_t length) {
    const auto best = by_left_.lower_bound({length, 0});
    if (best == by_left_.end()) {
      const auto row = static_cast<uint32_t>(records_.size());
      records_.push_back(1);
      if (room_.records > 1) by_left_.emplace(room_.tokens - length, row);
      return row;
    }
    auto node = by_left_.extract(best);  // its memory is used again
    auto& [left, row] = node.value();
    const uint32_t chosen = row;
    left -= length;
    if (++records_[chosen] < room_.records) by_left_.insert(std::move(node));
    return chosen;
  }

  [[nodiscard]] size_t size() const { return records_.size(); }

 private:
  RowRoom room_;
  std::set<std::pair<uint64_t, uint32_t>> by_left_;  // tokens left, row
  std::vector<uint64_t> records_;                    // of each row
};

}  // namespace

std::vector<uint32_t> PackBestFit(std::span<const uint64_t> lengths, const RowRoom& room) {
  std::vector<std::pair<uint64_t, uint32_t>> sorted(lengths.size());
  for (uint32_t i = 0; i < lengths.size(); ++i) sorted[i] = {room.tokens - lengths[i], i};
  std::sort(sorted.begin(), sorted.end());
  OpenRows open(room);
  std::vector<uint32_t> rows(lengths.size());
  for (const auto& [left, sequence] : sorted) rows[sequence] = open.Put(room.tokens - left);
  constexpr uint32_t kNotYetNumbered = UINT32_MAX;
  std::vector<uint32_t> numbers(open.size(), kNotYetNumbered);
  uint32_t next = 0;
  for (uint32_t& row : rows) {
    if (numbers[row] == kNotYetNumbered) numbers[row] = next++;
    row = numbers[row];
  }
  return rows;
}

}  // namespace ofindex
