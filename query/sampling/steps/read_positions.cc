#include "query/sampling/steps/read_positions.h"

#include <algorithm>
#include <utility>

namespace ofindex {

ReadPositions::ReadPositions(uint64_t size, std::vector<PositionRange> skipped) : size_(size), count_(size) {
  std::sort(skipped.begin(), skipped.end(),
            [](const PositionRange& a, const PositionRange& b) { return a.begin < b.begin; });
  for (PositionRange range : skipped) {
    range.end = std::min(range.end, size);
    if (range.begin >= range.end) continue;
    if (skipped_.empty() || skipped_.back().end < range.begin) {
      skipped_.push_back(range);
    } else {
      skipped_.back().end = std::max(skipped_.back().end, range.end);
    }
  }
  for (const PositionRange& range : skipped_) count_ -= range.end - range.begin;
}

uint64_t ReadPositions::Before(uint64_t position) const {
  uint64_t before = position;
  for (const PositionRange& range : skipped_) {
    if (range.begin >= position) break;
    before -= std::min(range.end, position) - range.begin;
  }
  return before;
}

uint64_t ReadPositions::At(uint64_t index) const {
  if (index >= count_) return size_;
  uint64_t position = index;
  for (const PositionRange& range : skipped_) {
    if (position < range.begin) break;
    position += range.end - range.begin;
  }
  return position;
}

bool ReadPositions::Reads(uint64_t position) const {
  return position < size_ && std::none_of(skipped_.begin(), skipped_.end(), [&](const PositionRange& range) {
           return range.begin <= position && position < range.end;
         });
}

uint64_t ReadPositions::RunEnd(uint64_t position) const {
  for (const PositionRange& range : skipped_) {
    if (range.begin > position) return range.begin;
  }
  return size_;
}

}  // namespace ofindex
