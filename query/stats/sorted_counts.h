#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ofindex {

/// A value and its count.
template <typename Key>
struct Count {
  Key key = {};
  uint64_t count = 0;

  friend bool operator==(const Count&, const Count&) = default;
};

/// Merges neighbours with equal keys.
template <typename Key>
void JoinNeighbours(std::vector<Count<Key>>& counts) {
  size_t kept = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (kept > 0 && counts[kept - 1].key == counts[i].key) {
      counts[kept - 1].count += counts[i].count;
    } else {
      if (kept != i) counts[kept] = std::move(counts[i]);
      ++kept;
    }
  }
  counts.resize(kept);
}

template <typename Key>
void SortByKey(std::vector<Count<Key>>& counts) {
  const auto less = [](const Count<Key>& a, const Count<Key>& b) { return a.key < b.key; };
  if (!std::is_sorted(counts.begin(), counts.end(), less)) std::sort(counts.begin(), counts.end(), less);
  JoinNeighbours(counts);
}

/// Counts of many values, in ascending order of values. Collects additions until there are about as many as merged
/// values, then sorts and merges them. Unlike a hash table, no input makes it slow.
template <typename Key>
class SortedCounts {
 public:
  void Add(Key key, uint64_t count) {
    new_bytes_ += sizeof(Count<Key>) + Held(key);
    new_.push_back({std::move(key), count});
  }

  /// Returns true if it is time for Settle(), which should follow soon.
  [[nodiscard]] bool due() const { return new_.size() > std::max(kMinNew, all_.size()) || new_bytes_ > kMaxNewBytes; }

  /// Merges the additions.
  void Settle() {
    SortByKey(new_);
    const auto middle = static_cast<std::ptrdiff_t>(all_.size());
    all_.insert(all_.end(), std::make_move_iterator(new_.begin()), std::make_move_iterator(new_.end()));
    std::inplace_merge(all_.begin(), all_.begin() + middle, all_.end(),
                       [](const Count<Key>& a, const Count<Key>& b) { return a.key < b.key; });
    JoinNeighbours(all_);
    new_.clear();
    new_bytes_ = 0;
    bytes_ = 0;
    for (const Count<Key>& entry : all_) bytes_ += sizeof entry + Held(entry.key);
  }

  /// Merges the additions, and returns all counts.
  [[nodiscard]] std::vector<Count<Key>> Settled() && {
    Settle();
    return std::move(all_);
  }

  /// The counts as of the last Settle(), and the bytes that they take.
  [[nodiscard]] const std::vector<Count<Key>>& all() const { return all_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

  /// Subtracts `less` from every count, and removes the values whose count reaches 0.
  void Lower(uint64_t less) {
    std::erase_if(all_, [&](const Count<Key>& entry) { return entry.count <= less; });
    for (Count<Key>& entry : all_) entry.count -= less;
    bytes_ = 0;
    for (const Count<Key>& entry : all_) bytes_ += sizeof entry + Held(entry.key);
  }

  /// Sets all counts to 0.
  void Zero() {
    for (Count<Key>& entry : all_) entry.count = 0;
  }

  /// Adds to the count of `key` if it is there.
  template <typename View>
  void AddKnown(const View& key, uint64_t count) {
    const auto found = std::lower_bound(all_.begin(), all_.end(), key,
                                        [](const Count<Key>& entry, const View& wanted) { return entry.key < wanted; });
    if (found != all_.end() && found->key == key) found->count += count;
  }

 private:
  static constexpr size_t kMinNew = 1 << 16;
  static constexpr uint64_t kMaxNewBytes = uint64_t{64} << 20;

  static uint64_t Held(const std::string& key) { return key.capacity() > 15 ? key.capacity() : 0; }
  static uint64_t Held(int64_t) { return 0; }
  static uint64_t Held(double) { return 0; }

  std::vector<Count<Key>> all_;
  std::vector<Count<Key>> new_;
  uint64_t bytes_ = 0;
  uint64_t new_bytes_ = 0;
};

}  // namespace ofindex
