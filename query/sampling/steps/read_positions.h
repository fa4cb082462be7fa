#pragma once

#include <cstdint>
#include <vector>

namespace ofindex {

/// Positions `begin` to `end` - 1 of an epoch.
struct PositionRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

/// The positions of an epoch that are read: all but some ranges. They are numbered from 0 in ascending order. A value
/// type; memory is that of the ranges.
class ReadPositions {
 public:
  /// Leaves out `skipped`, which may overlap, be empty, and exceed the epoch of `size` positions.
  explicit ReadPositions(uint64_t size, std::vector<PositionRange> skipped = {});

  /// Positions of the epoch, and those of them that are read.
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t count() const { return count_; }

  /// Returns the number of positions below `position` that are read; `position` is at most size().
  [[nodiscard]] uint64_t Before(uint64_t position) const;

  /// Returns position number `index` of those that are read, which is at most count(); size() for the last.
  [[nodiscard]] uint64_t At(uint64_t index) const;

  /// Returns true if `position` is read.
  [[nodiscard]] bool Reads(uint64_t position) const;

  /// Returns the end of the range of consecutive positions that are read and contain `position`, which is read.
  [[nodiscard]] uint64_t RunEnd(uint64_t position) const;

  /// The skipped ranges: none empty, ascending, not adjacent, within the epoch.
  [[nodiscard]] const std::vector<PositionRange>& skipped() const { return skipped_; }

 private:
  uint64_t size_;
  uint64_t count_;
  std::vector<PositionRange> skipped_;
};

}  // namespace ofindex
