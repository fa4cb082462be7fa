#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ofindex {

/// Rows of some ascending lists, given one after the other from either end, each row once. Refers to the lists, which
/// must outlive it, and copies none. Not thread-safe.
class AscendingRows {
 public:
  /// Adds an ascending list of rows, or one row. Not after Begin().
  void Add(std::span<const uint32_t> rows);
  void Add(uint64_t row);

  /// Returns how many rows there are, counting those of several lists several times.
  [[nodiscard]] uint64_t most() const;

  /// Leaves out all rows below `low` or above `high`, by binary search. Not after Begin().
  void Narrow(uint64_t low, uint64_t high);

  /// Starts at the greatest row if `descending`, else at the least.
  void Begin(bool descending);

  /// Returns the next row; nothing after the last.
  [[nodiscard]] std::optional<uint64_t> Take();

 private:
  /// rows[begin] to rows[end - 1]; without `rows`, the numbers from `begin` to `end` - 1 themselves.
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
