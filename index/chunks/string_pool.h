#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// Returns the length of the longest common prefix.
[[nodiscard]] size_t SharedPrefix(ByteView a, ByteView b);

/// The byte strings of a column, each distinct one stored once, with exceptions. Not thread-safe.
///
/// An attacker may choose values whose hashes collide. A search therefore stops after some steps and stores the value
/// again; SortedStrings, which does not use hashes, merges equal ones. If nearly all of the first values differ, as
/// file names do, the next ones are stored without a search, up to some MiB.
class StringPool {
 public:
  /// Returns the index of the stored value; a new value gets the number of values before it.
  [[nodiscard]] uint32_t Add(ByteView value);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  [[nodiscard]] uint64_t bytes() const { return arena_.size(); }

  /// Returns all values, one after the other, and the XXH3 of each.
  [[nodiscard]] ByteView all() const { return arena_; }
  [[nodiscard]] std::span<const uint64_t> hashes() const { return hashes_; }

  [[nodiscard]] ByteView operator[](uint32_t number) const {
    const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
    return ByteView(arena_).subspan(begin, ends_[number] - begin);
  }

  /// Returns the memory in use, in bytes.
  [[nodiscard]] uint64_t memory() const;

  /// Removes the values and keeps the memory.
  void Clear();

 private:
  [[nodiscard]] bool IsWorthSearching() const;
  uint32_t Append(ByteView value, uint64_t hash);
  void Grow();

  uint32_t added_ = 0;     // values that were added before the decision
  bool distinct_ = false;  // nearly all of them differed
  std::vector<uint8_t> arena_;
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // 1 + number of a value, or 0
};

/// The distinct values of a pool in ascending order. `number_of` maps the index of a value in the pool to its index in
/// that order. The values are views of the pool.
struct SortedStrings {
  explicit SortedStrings(const StringPool& pool);

  std::vector<ByteView> values;
  std::vector<uint32_t> number_of;
};

}  // namespace ofindex
