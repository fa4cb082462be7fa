#include "query/tables/ascending_rows.h"

#include <algorithm>

namespace ofindex {

void AscendingRows::Add(std::span<const uint32_t> rows) { lists_.push_back({rows.data(), 0, rows.size()}); }

void AscendingRows::Add(uint64_t row) { lists_.push_back({nullptr, row, row + 1}); }

uint64_t AscendingRows::max_size() const {
  uint64_t rows = 0;
  for (const List& list : lists_) rows += list.end - list.begin;
  return rows;
}

// Returns the position of the first row that is not below `row`.
uint64_t AscendingRows::List::LowerBound(uint64_t row) const {
  if (rows == nullptr) return std::clamp(row, begin, end);
  return static_cast<uint64_t>(std::lower_bound(rows + begin, rows + end, row) - rows);
}

void AscendingRows::Narrow(uint64_t low, uint64_t high) {
  for (List& list : lists_) {
    list.begin = list.LowerBound(low);
    if (high < UINT64_MAX) list.end = list.LowerBound(std::max(low, high + 1));
  }
}

bool AscendingRows::IsLater(const List& a, const List& b) const {
  return descending_ ? NextOf(a) < NextOf(b) : NextOf(a) > NextOf(b);
}

void AscendingRows::Begin(bool descending) {
  descending_ = descending;
  taken_.reset();
  lists_.erase(std::remove_if(lists_.begin(), lists_.end(), [](const List& list) { return list.begin == list.end; }),
               lists_.end());
  std::make_heap(lists_.begin(), lists_.end(), [this](const List& a, const List& b) { return IsLater(a, b); });
}

std::optional<uint64_t> AscendingRows::Take() {
  const auto later = [this](const List& a, const List& b) { return IsLater(a, b); };
  while (!lists_.empty()) {
    const bool merges = lists_.size() > 1;
    if (merges) std::pop_heap(lists_.begin(), lists_.end(), later);
    List& list = lists_.back();
    const uint64_t row = NextOf(list);
    if (descending_) {
      --list.end;
    } else {
      ++list.begin;
    }
    if (list.begin == list.end) {
      lists_.pop_back();
    } else if (merges) {
      std::push_heap(lists_.begin(), lists_.end(), later);
    }
    if (taken_ == row) continue;
    taken_ = row;
    return row;
  }
  return std::nullopt;
}

}  // namespace ofindex
