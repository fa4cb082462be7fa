#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ofindex {

/// The union of ascending row lists, read from either end; each row is returned once. Views the lists, which must
/// outlive it, and copies none. Not thread-safe.
class AscendingRows {
 public:
  /// Adds an ascending list of rows, or one row. Must not be called after Begin().
  void Add(std::span<const uint32_t> rows);
  void Add(uint64_t row);

  /// Returns the sum of the list sizes: rows in several lists are counted several times.
  [[nodiscard]] uint64_t max_size() const;

  /// Removes all rows below `low` or above `high`, by binary search. Must not be called after Begin().
  void Narrow(uint64_t low, uint64_t high);

  /// Starts at the greatest row if `descending`, otherwise at the least.
  void Begin(bool descending);

  /// Returns the next row, or nothing after the last.
  [[nodiscard]] std::optional<uint64_t> Take();

 private:
  /// rows[begin] to rows[end - 1]; if `rows` is null, the numbers `begin` to `end` - 1 themselves.
  struct List {
    const uint32_t* rows;
    uint64_t begin;
    uint64_t end;

    [[nodiscard]] uint64_t At(uint64_t place) const { return rows == nullptr ? place : rows[place]; }
    [[nodiscard]] uint64_t LowerBound(uint64_t row) const;
  };

  [[nodiscard]] uint64_t NextOf(const List& list) const { return list.At(descending_ ? list.end - 1 : list.begin); }
  [[nodiscard]] bool IsLater(const List& a, const List& b) const;

  std::vector<List> lists_;  // none is empty after Begin(): then a heap, the list with the next row first
  bool descending_ = false;
  std::optional<uint64_t> taken_;  // last
};

}  // namespace ofindex
