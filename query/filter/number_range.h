#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "query/filter/value_filter.h"

namespace ofindex {

// The bounds and values of a filter as numbers of one type. Exact: an int64 is in a range of integers, and a double in
// a range of doubles, if and only if it is in the range of values.

/// [low, high], both included; empty if low is greater than high.
template <typename T>
struct NumberRange {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();

  [[nodiscard]] bool empty() const { return low > high; }
};

[[nodiscard]] NumberRange<int64_t> IntegersIn(const ValueBound& low, const ValueBound& high);

/// Returns the doubles between the bounds, infinities included. The empty range is [infinity, -infinity].
[[nodiscard]] NumberRange<double> DoublesIn(const ValueBound& low, const ValueBound& high);

/// Returns the floats of a range of doubles.
[[nodiscard]] NumberRange<float> FloatsIn(const NumberRange<double>& range);

/// Returns the values that are numbers equal to an int64, or to a double; ascending if `values` are.
[[nodiscard]] std::vector<int64_t> IntegersOf(const std::vector<ColumnValue>& values);
[[nodiscard]] std::vector<double> DoublesOf(const std::vector<ColumnValue>& values);

}  // namespace ofindex
