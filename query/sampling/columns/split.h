#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {

/// One part of a split.
struct SplitPart {
  std::string name;     ///< not empty; unique
  double fraction = 0;  ///< of the records, above 0
};

struct SplitOptions {
  std::vector<SplitPart> parts;    ///< with a sum of fractions of at most 1; the remaining records are in no part
  uint64_t seed = 0;               ///< each seed gives another split
  std::optional<Column> key;       ///< records with equal values here are in the same part
  std::optional<Column> stratify;  ///< records with each value here are split in the same proportions
  const std::atomic<bool>* cancel = nullptr;
};

inline constexpr size_t kMaxSplitParts = 1000;

/// The part of a record that is in no part.
inline constexpr uint32_t kNoPart = ~uint32_t{0};

/// Receives the parts, by number in SplitOptions, of records `first`, `first` + 1, ....
using VisitParts = std::function<void(uint64_t first, std::span<const uint32_t> parts)>;

/// Calls `visit` with the part of each of the first `records` records, in ascending order, a block at a time. The part
/// of a record depends on no later record, except with `key` and `stratify` together: appending records changes
/// nothing, even if they have new values. Nor do records that are gone, except with `stratify`: later records with
/// their value may be in other parts.
///
/// The algorithm, with key = SampleKey(seed, 0, SampleUse::kSplit):
///
/// - Without columns, a record is in the first part whose end is above SampleKey(SampleKey(key, 0), ordinal) / 2. The
///   end of a part is 2^63 times the sum of the fractions up to it, rounded down. Sums over 1 - 10^-9 are 1.
/// - With `key`, SampleKey(SampleKey(key, 1), ValueKey(value)) replaces that hash. Records with NULL or NaN do not form
///   a group: their ordinals decide, as without columns.
/// - With `stratify`, record number i of those with its value, where NULL is a value, is in the part that
///   Interleave::InShares(fractions, SampleKey(SampleKey(key, 2), ValueKey(value))).At(i) gives; if the fractions leave
///   more than 10^-9 of 1, the rest is one more share. Takes 80 bytes per value, and another 80 for a value of many
///   records.
/// - With both, GroupedStrata::Assign(shares, SampleKey(key, 3)) assigns the records with each value in `key` as a
///   whole, with the values in `stratify` as classes. Records with NULL or NaN in `key` do not form a group: they are
///   stratified, as without `key`.
///
/// Errors: kUsage if the parts are invalid, or a column has lists; kOutOfRange if there are fewer
/// records; kInterrupted, kLimit, and those of ColumnStore::Load.
[[nodiscard]] Result<void> ForEachPart(ColumnStore& store, uint64_t records, const SplitOptions& options,
                                       const VisitParts& visit);

/// Returns the records of each part, in the order of SplitOptions. Errors: those of ForEachPart.
[[nodiscard]] Result<std::vector<OrdinalSet>> Split(ColumnStore& store, uint64_t records, const SplitOptions& options);

}  // namespace ofindex
