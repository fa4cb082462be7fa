#include "index/chunks/distinct.h"

#include <algorithm>
#include <bit>

namespace ofindex {
namespace {

// Fibonacci hashing: 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4).
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;

// Values between two looks at how many are distinct so far.
constexpr size_t kStrideValues = 4096;

// Returns true if there are certainly more than `limit` distinct values: more than `limit` of their hashes differ.
// Takes a bit for each hash, where a table of values would need many more misses of the cache to find out. Gives up if
// few of the first values differ.
template <typename T>
bool SurelyMoreThan(size_t limit, std::span<const T> values) {
  const size_t bits = std::bit_ceil(8 * values.size() + 64);
  const int shift = 64 - std::countr_zero(bits);
  std::vector<uint64_t> seen(bits / 64);
  size_t distinct = 0;
  for (size_t begin = 0; begin < values.size(); begin += kStrideValues) {
    for (const T value : values.subspan(begin, std::min(kStrideValues, values.size() - begin))) {
      const uint64_t bit = (value * kGolden) >> shift;
      uint64_t& word = seen[bit / 64];
      const uint64_t mask = uint64_t{1} << bit % 64;
      distinct += (word & mask) == 0 ? 1 : 0;
      word |= mask;
    }
    if (distinct > limit) return true;
    if (distinct < (begin + kStrideValues) / 4) return false;
  }
  return false;
}

}  // namespace

template <typename T>
std::optional<DistinctNumbers> DistinctNumbers::Find(std::span<const T> values, uint64_t largest, size_t limit) {
  DistinctNumbers found(largest < kDirectRange && largest / 8 <= values.size());
  const bool few = found.direct_ ? found.FindDirectly(values, largest, limit) : found.FindHashed(values, limit);
  if (!few) return std::nullopt;
  return found;
}

template <typename T>
bool DistinctNumbers::FindDirectly(std::span<const T> values, uint64_t largest, size_t limit) {
  ranks_.assign(largest + 1, kFree);
  for (const T value : values) ranks_[value] = 0;
  for (size_t value = 0; value <= largest; ++value) {
    if (ranks_[value] == kFree) continue;
    ranks_[value] = static_cast<uint32_t>(sorted_.size());
    sorted_.push_back(value);
  }
  return sorted_.size() <= limit;
}

template <typename T>
bool DistinctNumbers::FindHashed(std::span<const T> values, size_t limit) {
  if (SurelyMoreThan(limit, values)) return false;
  const size_t slots = std::bit_ceil(2 * limit + 2);
  shift_ = 64 - std::countr_zero(slots);
  keys_.resize(slots);
  ranks_.assign(slots, kFree);
  for (const T value : values) {
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
  size_t slot = (value * kGolden) >> shift_;
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
    if (ranks_[slot] == kFree || keys_[slot] == value) return slot;
    slot = (slot + 1) & (keys_.size() - 1);
  }
  return keys_.size();
}

template <typename T>
std::vector<uint32_t> DistinctNumbers::NumbersOf(std::span<const T> values) const {
  std::vector<uint32_t> numbers(values.size());
  for (size_t i = 0; i < values.size(); ++i) numbers[i] = ranks_[direct_ ? values[i] : Slot(values[i])];
  return numbers;
}

template std::optional<DistinctNumbers> DistinctNumbers::Find(std::span<const uint32_t>, uint64_t, size_t);
template std::optional<DistinctNumbers> DistinctNumbers::Find(std::span<const uint64_t>, uint64_t, size_t);
template std::vector<uint32_t> DistinctNumbers::NumbersOf(std::span<const uint32_t>) const;
template std::vector<uint32_t> DistinctNumbers::NumbersOf(std::span<const uint64_t>) const;

}  // namespace ofindex
