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

/// A part of a dataset that is split.
struct SplitPart {
  std::string name;     ///< not empty; each part has another
  double fraction = 0;  ///< of the records, above 0
};

struct SplitOptions {
  std::vector<SplitPart> parts;    ///< of fractions that sum up to 1 at most; what is left is in no part
  uint64_t seed = 0;               ///< other seeds, other splits
  std::optional<Column> key;       ///< records of the same value here are in the same part
  std::optional<Column> stratify;  ///< records of each value here are split in the same proportions
  const std::atomic<bool>* cancel = nullptr;
};

inline constexpr size_t kMostSplitParts = 1000;

/// The part of a record that is in none.
inline constexpr uint32_t kNoPart = ~uint32_t{0};

/// Takes the parts, by number in SplitOptions, of records `first`, `first` + 1, ....
using VisitParts = std::function<void(uint64_t first, std::span<const uint32_t> parts)>;

/// Calls `visit` with the part of each of the first `records` records, in ascending order, a block at a time. The part
/// of a record depends on no record after it: what is appended later changes nothing, be it of new values or not.
///
/// The law, with key = SampleKey(seed, 0, SampleUse::kSplit):
///
/// - Without columns, a record is in the first part at whose end, 2^63 times the sum of the fractions up to it, rounded
///   down, SampleKey(SampleKey(key, 0), ordinal) / 2 has not arrived. Sums over 1 - 10^-9 are 1.
/// - With `key`, SampleKey(SampleKey(key, 1), ValueKey(value)) is in the place of that hash, but for NULL, and NaN with
///   it: such records have nothing in common, and go by their ordinals.
/// - With `stratify`, record number i of those of its value, of which NULL is one, is in the part that
///   Deal::InShares(fractions, SampleKey(SampleKey(key, 2), ValueKey(value))).At(i) gives; what is left of 1 is one
///   more share, if it is over 10^-9. Takes 80 bytes a value, and as many more for one
///   of many records.
///
/// Errors: kUsage  the parts make no sense, both columns are given, or one has lists; kOutOfRange  there are not as
/// many records; kInterrupted, kLimit, and those of ColumnStore::Load.
[[nodiscard]] Result<void> ForEachPart(ColumnStore& store, uint64_t records, const SplitOptions& options,
                                       const VisitParts& visit);

/// The records of each part, in the order of SplitOptions. Errors: those of ForEachPart.
[[nodiscard]] Result<std::vector<OrdinalSet>> Split(ColumnStore& store, uint64_t records, const SplitOptions& options);

}  // namespace ofindex
