#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "query/stats/block_counts.h"

namespace ofindex {

// Holds every int64 and every double exactly: the mantissa has 64 bits on x86-64, 113 on AArch64.
static_assert(std::numeric_limits<long double>::digits >= 64);

/// Sums of integers and of reals. Neither overflows: 128 bits hold 2^64 integers, and a long double any sum of doubles.
struct NumberSum {
  __int128 integers = 0;
  long double reals = 0;

  void Add(const NumberSum& other) {
    integers += other.integers;
    reals += other.reals;
  }
  [[nodiscard]] long double total() const { return static_cast<long double>(integers) + reals; }
};

/// Count, sum and sum of squared deviations of the numbers in a column. A value type; merged in block order.
class Moments {
 public:
  Moments() = default;
  explicit Moments(const BlockCounts& block);

  void Merge(const Moments& later);

  /// Adds one number.
  void Add(int64_t number);
  void Add(double number);

  [[nodiscard]] uint64_t count() const { return count_; }

  /// Returns nothing if there are no numbers, or if infinities of both signs make it undefined.
  [[nodiscard]] std::optional<double> mean() const;

  /// Returns the sample variance and its root, the deviation (divisor count - 1), or nothing for fewer than two numbers
  /// or any infinity.
  [[nodiscard]] std::optional<double> variance() const;
  [[nodiscard]] std::optional<double> deviation() const;

 private:
  [[nodiscard]] long double center() const { return sum_.total() / static_cast<long double>(count_); }

  uint64_t count_ = 0;
  NumberSum sum_;
  long double squares_ = 0;  // of deviations from the mean
};

}  // namespace ofindex
