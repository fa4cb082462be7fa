#include "index/chunks/distinct.h"

#include <algorithm>
#include <bit>

namespace ofindex {

std::optional<DistinctNumbers> DistinctNumbers::Find(std::span<const uint64_t> values, uint64_t largest, size_t limit) {
  DistinctNumbers found(largest < kDirectRange && largest / 8 <= values.size());
  const bool few = found.direct_ ? found.FindDirectly(values, largest, limit) : found.FindHashed(values, limit);
  if (!few) return std::nullopt;
  return found;
}

bool DistinctNumbers::FindDirectly(std::span<const uint64_t> values, uint64_t largest, size_t limit) {
  ranks_.assign(largest + 1, kFree);
  for (uint64_t value : values) ranks_[value] = 0;
  for (size_t value = 0; value <= largest; ++value) {
    if (ranks_[value] == kFree) continue;
    ranks_[value] = static_cast<uint32_t>(sorted_.size());
    sorted_.push_back(value);
  }
  return sorted_.size() <= limit;
}

bool DistinctNumbers::FindHashed(std::span<const uint64_t> values, size_t limit) {
  const size_t slots = std::bit_ceil(2 * limit + 2);
  shift_ = 64 - std::countr_zero(slots);
  keys_.resize(slots);
  ranks_.assign(slots, kFree);
  for (uint64_t value : values) {
    const size_t slot = Slot(value);
    if (slot == slots) return false;
    if (ranks_[slot] != kFree) continue;
    if (sorted_.size() == limit) return false;
    ranks_[slot] = 0;
    keys_[slot] = value;
    sorted_.push_back(value);
  }
  std::sort(sorted_.begin(), sorted_.end());
  for (uint32_t rank = 0; rank < sorted_.size(); ++rank) ranks_[Slot(sorted_[rank])] = rank;
  return true;
}

// Returns the slot that holds `value`, or a free slot for it; the number of slots if kMaxProbes probes find neither. An
// attacker may choose values that collide, so the number of probes is limited, and such a column is encoded
// differently.
size_t DistinctNumbers::Slot(uint64_t value) const {
  // Fibonacci hashing: 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4).
  size_t slot = (value * 0x9e3779b97f4a7c15U) >> shift_;
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
    if (ranks_[slot] == kFree || keys_[slot] == value) return slot;
    slot = (slot + 1) & (keys_.size() - 1);
  }
  return keys_.size();
}

std::vector<uint64_t> DistinctNumbers::NumbersOf(std::span<const uint64_t> values) const {
  std::vector<uint64_t> numbers(values.size());
  for (size_t i = 0; i < values.size(); ++i) numbers[i] = ranks_[direct_ ? values[i] : Slot(values[i])];
  return numbers;
}

}  // namespace ofindex
