#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "index/columns/column.h"

namespace ofindex {

/// Returns the order of an integer and a real that is not NaN, exact even if converting either would round.
[[nodiscard]] std::strong_ordering CompareNumbers(int64_t integer, double real);

/// The least and the greatest value of a column in SQLite's order: numbers by value, then TEXT, then BLOB, both by
/// memcmp. Not thread-safe.
class ZoneMap {
 public:
  void AddIntegers(std::span<const int64_t> values);

  /// Adds all byte strings, in ascending order; called once. `all_text`: each is known to be TEXT.
  void AddSorted(std::span<const ByteView> values, bool all_text);

  /// Add values that are not NaN, and return the number of those that are.
  uint32_t AddReals(std::span<const float> values);
  uint32_t AddReals(std::span<const double> values);

  /// Returns the least value; NULL if there is none. A byte string is cut to kMaxZoneBytes, which sorts no higher.
  [[nodiscard]] ColumnValue min() const;

  /// Returns the greatest value; NULL if there is none, or if it is longer than kMaxZoneBytes.
  [[nodiscard]] ColumnValue max() const;

  static constexpr size_t kMaxZoneBytes = 256;

 private:
  struct IntegerRange {
    int64_t min, max;
  };
  struct RealRange {
    double min, max;
  };

  template <typename Real>
  uint32_t AddAll(std::span<const Real> values);

  std::optional<IntegerRange> integers_;
  std::optional<RealRange> reals_;
  std::optional<ColumnValue> min_bytes_;
  std::optional<ColumnValue> max_bytes_;
};

}  // namespace ofindex
