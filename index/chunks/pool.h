#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace ofindex {

/// How many bytes the two have in common from the first on.
[[nodiscard]] size_t SharedPrefix(ByteView a, ByteView b);

/// The bytes values of a column, each distinct one held once, with a few exceptions. Not thread-safe.
///
/// Values may be chosen so that their hashes collide. A search is therefore given up after some steps and the value
/// held once more; SortedTexts, which does without hashes, brings equal ones together.
class TextPool {
 public:
  /// Returns the number under which the value is held: the count of those before it if it is new.
  [[nodiscard]] uint32_t Add(ByteView value);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  [[nodiscard]] uint64_t bytes() const { return arena_.size(); }
  [[nodiscard]] ByteView operator[](uint32_t number) const {
    const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
    return ByteView(arena_).subspan(begin, ends_[number] - begin);
  }

  /// Bytes of memory held.
  [[nodiscard]] uint64_t memory() const;

  /// Forgets the values, and keeps the memory.
  void Clear();

 private:
  void Grow();

  std::vector<uint8_t> arena_;
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // 1 + number of a value, or 0
};

/// The distinct values of a pool in ascending order, and for each number of the pool the number among them. Views of
/// the pool.
struct SortedTexts {
  explicit SortedTexts(const TextPool& pool);

  std::vector<ByteView> values;
  std::vector<uint32_t> number_of;
};

}  // namespace ofindex
