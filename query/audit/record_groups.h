#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ofindex {

/// The number of a record among those of several datasets: of dataset 0 first, each by its ordinals.
class RecordNumbers {
 public:
  struct Place {
    size_t set = 0;
    uint64_t ordinal = 0;
  };

  /// Adds a dataset whose ordinals are less than `ordinals`, and returns the number of its record 0. Ordinals have at
  /// most 48 bits, so that the sum over all datasets that a process can open does not overflow.
  uint64_t Add(uint64_t ordinals) {
    const uint64_t first = ends_.empty() ? 0 : ends_.back();
    ends_.push_back(first + ordinals);
    return first;
  }

  /// `record` is less than the sum of all ordinals.
  [[nodiscard]] Place At(uint64_t record) const {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), record);
    const auto set = static_cast<size_t>(end - ends_.begin());
    return {set, record - FirstOf(set)};
  }

  [[nodiscard]] uint64_t FirstOf(size_t set) const { return set == 0 ? 0 : ends_[set - 1]; }
  [[nodiscard]] size_t size() const { return ends_.size(); }

 private:
  std::vector<uint64_t> ends_;
};

/// Groups of records, as numbers of RecordNumbers: 8 bytes for each record, and for each group.
class RecordGroups {
 public:
  void Add(std::span<const uint64_t> records) {
    records_.insert(records_.end(), records.begin(), records.end());
    ends_.push_back(records_.size());
  }

  [[nodiscard]] size_t size() const { return ends_.size(); }
  [[nodiscard]] std::span<const uint64_t> operator[](size_t group) const {
    return std::span(records_).subspan(BeginOf(group), ends_[group] - BeginOf(group));
  }

  /// Returns the place of the group's first record in records().
  [[nodiscard]] uint64_t BeginOf(size_t group) const { return group == 0 ? 0 : ends_[group - 1]; }

  /// All records, group by group, and where each group ends among them.
  [[nodiscard]] const std::vector<uint64_t>& records() const { return records_; }
  [[nodiscard]] const std::vector<uint64_t>& ends() const { return ends_; }

 private:
  std::vector<uint64_t> records_;
  std::vector<uint64_t> ends_;
};

}  // namespace ofindex
