#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ofindex {

/// Says in one byte where the value of a record is counted: the number of a bin, or one of five codes for the rest.
using BinCode = uint8_t;

inline constexpr size_t kMaxBins = 251;

inline constexpr BinCode kBelowBins = 251;   ///< a number below the first bin
inline constexpr BinCode kAboveBins = 252;   ///< a number at or above the end of the last bin
inline constexpr BinCode kOtherValue = 253;  ///< a value that is not among the categories, or no number
inline constexpr BinCode kNanValue = 254;
inline constexpr BinCode kNullValue = 255;

/// Counts of records by code.
using CodeCounts = std::array<uint64_t, 256>;

/// The counts of a dimension. A value type.
struct BinCounts {
  std::vector<uint64_t> bins;  ///< by bin or category
  uint64_t below = 0;
  uint64_t above = 0;
  uint64_t other = 0;
  uint64_t nans = 0;
  uint64_t nulls = 0;  ///< without the NaNs, though these are NULL in SQL, too

  friend bool operator==(const BinCounts&, const BinCounts&) = default;
};

/// Returns `counts` of a dimension with `bins` bins.
[[nodiscard]] inline BinCounts BinCountsOf(const CodeCounts& counts, size_t bins) {
  return {.bins = std::vector<uint64_t>(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(bins)),
          .below = counts[kBelowBins],
          .above = counts[kAboveBins],
          .other = counts[kOtherValue],
          .nans = counts[kNanValue],
          .nulls = counts[kNullValue]};
}

}  // namespace ofindex
