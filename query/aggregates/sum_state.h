#pragma once

#include <cmath>
#include <cstdint>

namespace ofindex {

/// How SQLite adds reals: one after the other, or, since version 3.43, with a second number for the rounding errors.
enum class SumRule : uint8_t { kPlain, kCompensated };

/// The state of SQLite's sum(), total() and avg() after some values. Adding the same values in the same order as SQLite
/// gives the same result to the last bit. A value type.
struct SumState {
  int64_t count = 0;
  int64_t integer = 0;  ///< sum, as long as all values are integers and it does not overflow
  double real = 0;      ///< sum of all values; kCompensated: only once `approximate`
  double error = 0;     ///< kCompensated: to be added to `real`
  bool approximate = false;
  bool overflow = false;  ///< of the integers: sum() is an error

  void Add(SumRule rule, int64_t value) {
    ++count;
    if (rule == SumRule::kPlain) {
      real += static_cast<double>(value);
      if (!approximate && __builtin_add_overflow(integer, value, &integer)) approximate = overflow = true;
    } else if (approximate) {
      AddCompensated(value);
    } else if (int64_t sum = 0; !__builtin_add_overflow(integer, value, &sum)) {
      integer = sum;
    } else {
      overflow = true;
      Approximate();
      AddCompensated(value);
    }
  }

  void Add(SumRule rule, double value) {
    ++count;
    if (rule == SumRule::kPlain) {
      real += value;
      approximate = true;
      return;
    }
    if (!approximate) Approximate();
    AddCompensated(value);
  }

  /// Adds `more` integers with the sum `sum` at once. Only for integers whose absolute values have a sum of at most
  /// 2^53, added so far and later: then the order does not matter, since every partial sum is exact.
  void AddExact(int64_t more, int64_t sum) {
    count += more;
    real += static_cast<double>(sum);
    // Only a damaged index, whose least and greatest values are wrong, can bring the sum to overflow.
    if (__builtin_add_overflow(integer, sum, &integer)) approximate = overflow = true;
  }

  /// The sum as a real.
  [[nodiscard]] double total(SumRule rule) const {
    if (rule == SumRule::kPlain) return real;
    if (!approximate) return static_cast<double>(integer);
    return std::isfinite(error) ? real + error : real;
  }

 private:
  // Neumaier's summation (Z. Angew. Math. Mech. 54, 1974), in SQLite since version 3.43.
  void AddCompensated(double value) {
    const double sum = real + value;
    error += std::fabs(real) > std::fabs(value) ? (real - sum) + value : (value - sum) + real;
    real = sum;
  }

  // Integers that a double may not hold are added in two parts that it holds.
  void AddCompensated(int64_t value) {
    constexpr int64_t kLarge = int64_t{1} << 52;
    if (value > -kLarge && value < kLarge) return AddCompensated(static_cast<double>(value));
    const int64_t low = value % 16384;
    AddCompensated(static_cast<double>(low));
    AddCompensated(static_cast<double>(value - low));
  }

  void Approximate() {
    approximate = true;
    AddCompensated(integer);
  }
};

}  // namespace ofindex
