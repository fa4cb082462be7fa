#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "query/stats/sorted_counts.h"

namespace ofindex {

/// Groups of records, and how many records of each class they have, to be divided among parties so that groups stay
/// whole and each party has its share of each class, as far as whole groups allow. Takes about 80 bytes per group and
/// class, and 16 for each class that a group has. Not thread-safe.
///
/// The algorithm is greedy, as in scikit-learn's StratifiedGroupKFold, for parties with any shares. Groups are taken by
/// the bit width of their number of records, the largest first, and among these by SampleKey(key, value of the group).
/// With f the share of a party, N the records of a class, T = f N, and x those that the party has already, a group of c
/// records of the class adds c (c + 2 (x - T)) / (T + 1) to the party's cost, the growth of the squared deviation from
/// T, summed over the classes of the group. The same for all records, times the number of classes, is added: otherwise
/// groups that each are a class of their own would all go to the party of the largest share. The party of the lowest
/// cost gets the group; among equals, that with the lowest SampleKey(SampleKey(key, value of the group), party).
class GroupedStrata {
 public:
  static constexpr size_t kMaxGroups = size_t{1} << 30;

  /// Return the number of a group or class by the ValueKey of its value, from 0 in the order of first calls.
  [[nodiscard]] uint32_t GroupOf(uint64_t value);
  [[nodiscard]] uint32_t ClassOf(uint64_t value);

  /// Adds a record. Errors: kLimit if there are too many groups or classes.
  [[nodiscard]] Result<void> Add(uint32_t group, uint32_t its_class);

  /// Returns the party of each group. `shares` are above 0 and add up to 1; `cancel` may be null. Errors: kInterrupted.
  [[nodiscard]] Result<std::vector<uint32_t>> Assign(std::span<const double> shares, uint64_t key,
                                                     const std::atomic<bool>* cancel);

 private:
  [[nodiscard]] std::vector<uint32_t> Order(const std::vector<size_t>& begins, uint64_t key) const;

  std::unordered_map<uint64_t, uint32_t> groups_;
  std::unordered_map<uint64_t, uint32_t> classes_;
  std::vector<uint64_t> values_;  // of groups
  SortedCounts<int64_t> counts_;  // by group << 32 | class
};

}  // namespace ofindex
