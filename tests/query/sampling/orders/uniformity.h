#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ofindex {

/// Returns Q(a, x), the regularized upper incomplete gamma function, for a > 0 and x >= 0: by its series (DLMF 8.11.4)
/// if x is small, otherwise by its continued fraction (DLMF 8.9.2), evaluated with Lentz's method.
inline double UpperGamma(double a, double x) {
  constexpr double kPrecision = 1e-15;
  constexpr double kTiny = 1e-300;
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double k = a + 1; term > sum * kPrecision; ++k) sum += term *= x / k;
    return 1 - front * sum;
  }
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (double k = 1, change = 0; std::abs(change - 1) > kPrecision && k < 100'000; ++k) {
    b += 2;
    d = -k * (k - a) * d + b;
    c = b - k * (k - a) / c;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = std::abs(c) < kTiny ? kTiny : c;
    fraction *= change = c * d;
  }
  return front * fraction;
}

/// Returns the probability that a chi-square of so many degrees of freedom exceeds `statistic`.
inline double ChiSquareP(double statistic, double degrees) { return UpperGamma(degrees / 2, statistic / 2); }

/// Returns the probability that a standard normal number exceeds `z`.
inline double NormalP(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

/// Returns the p-value of Pearson's test of `counts` against expected counts. Joins neighbouring cells until at least
/// five are expected, because below that the statistic is not chi-square. Returns 0 if a count that must be 0 is not.
inline double CountsP(std::span<const uint64_t> counts, std::span<const double> expected) {
  constexpr double kEnough = 5;
  std::vector<std::pair<double, double>> cells;  // counted, expected
  bool open = false;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] <= 0) {
      if (counts[i] > 0) return 0;
      continue;
    }
    if (!open) cells.emplace_back();
    cells.back().first += static_cast<double>(counts[i]);
    cells.back().second += expected[i];
    open = cells.back().second < kEnough;
  }
  if (open && cells.size() > 1) {
    const auto last = cells.back();
    cells.pop_back();
    cells.back().first += last.first;
    cells.back().second += last.second;
  }
  if (cells.size() < 2) return 0.5;
  double statistic = 0;
  for (const auto& [counted, wanted] : cells) statistic += (counted - wanted) * (counted - wanted) / wanted;
  return ChiSquareP(statistic, static_cast<double>(cells.size() - 1));
}

/// Splits [0, size) into `count` bins that are as even as possible and not empty.
class Bins {
 public:
  Bins(uint64_t size, uint64_t most) : size_(size), count_(std::min(size, most)) {}
  [[nodiscard]] uint64_t count() const { return count_; }
  [[nodiscard]] uint64_t Of(uint64_t x) const { return x * count_ / size_; }
  [[nodiscard]] uint64_t Width(uint64_t bin) const { return First(bin + 1) - First(bin); }

 private:
  [[nodiscard]] uint64_t First(uint64_t bin) const { return (bin * size_ + count_ - 1) / count_; }
  uint64_t size_;
  uint64_t count_;
};

/// Counts numbers that should be uniform in [0, size).
class Histogram {
 public:
  Histogram(uint64_t size, uint64_t max_bins) : size_(size), bins_(size, max_bins), counts_(bins_.count()) {}
  void Add(uint64_t x) { ++counts_[bins_.Of(x)], ++total_; }

  [[nodiscard]] double P() const {
    std::vector<double> expected;
    for (uint64_t i = 0; i < bins_.count(); ++i)
      expected.push_back(static_cast<double>(total_) * static_cast<double>(bins_.Width(i)) /
                         static_cast<double>(size_));
    return CountsP(counts_, expected);
  }

 private:
  uint64_t size_;
  Bins bins_;
  std::vector<uint64_t> counts_;
  uint64_t total_ = 0;
};

/// Counts pairs of two distinct elements of [0, size): their positions, and their distance.
class PairCounts {
 public:
  explicit PairCounts(uint64_t size)
      : size_(size), bins_(size, 16), counts_(bins_.count() * bins_.count()), apart_(size - 1, 256) {}

  void Add(uint64_t x, uint64_t y) {
    ++counts_[bins_.Of(x) * bins_.count() + bins_.Of(y)], ++total_;
    apart_.Add((y > x ? y - x : y + size_ - x) - 1);
  }

  [[nodiscard]] double PlaceP() const {
    const double pairs = static_cast<double>(size_) * static_cast<double>(size_ - 1);
    std::vector<double> expected;
    for (uint64_t i = 0; i < bins_.count(); ++i) {
      for (uint64_t j = 0; j < bins_.count(); ++j) {
        const auto first = static_cast<double>(bins_.Width(i));
        const auto second = static_cast<double>(bins_.Width(j) - (i == j ? 1 : 0));
        expected.push_back(static_cast<double>(total_) * first * second / pairs);
      }
    }
    return CountsP(counts_, expected);
  }
  [[nodiscard]] double ApartP() const { return apart_.P(); }

 private:
  uint64_t size_;
  Bins bins_;
  std::vector<uint64_t> counts_;
  Histogram apart_;
  uint64_t total_ = 0;
};

/// Returns the probability that every rise of a uniform order of `size` elements is shorter than `length`, which is at
/// least 2. The counts of such orders have the exponential generating function 1 / (1 - x + x^k/k! - x^(k+1)/(k+1)! +
/// x^(2k)/(2k)! - ...), where k is `length` (David and Barton, "Combinatorial Chance", 1962, chapter 10).
inline double RisesBelowP(uint64_t size, uint64_t length) {
  std::vector<std::pair<uint64_t, double>> terms;                       // degree, coefficient
  for (uint64_t degree = 1; degree <= std::min<uint64_t>(size, 25);) {  // the omitted terms are less than 1e-26
    const double inverse = std::exp(-std::lgamma(static_cast<double>(degree) + 1));
    terms.emplace_back(degree, degree % length == 0 ? -inverse : inverse);
    degree += degree % length == 0 ? 1 : length - 1;
  }
  std::vector<double> p(size + 1, 0);
  p[0] = 1;
  for (uint64_t n = 1; n <= size; ++n) {
    for (const auto& [degree, coefficient] : terms)
      if (degree <= n) p[n] += coefficient * p[n - degree];
    if (p[n] < 1e-15) return 0;  // and with more elements it is even less likely
  }
  return p[size];
}

/// Mean and standard deviation of a statistic of a uniform order.
struct Moments {
  double mean;
  double deviation;
  [[nodiscard]] double Normal(double value) const { return (value - mean) / deviation; }
};

/// Returns the moments of the number of positions whose element is less than the next one (Eulerian numbers).
inline Moments RiseMoments(uint64_t size) {
  const auto n = static_cast<double>(size);
  return {.mean = (n - 1) / 2, .deviation = std::sqrt((n + 1) / 12)};
}

/// Returns the moments of the serial correlation: subtract the mean from all elements, multiply each by the element at
/// a fixed distance, cyclically, and add the products (Wald and Wolfowitz, "An exact test for randomness in the
/// non-parametric case based on serial correlation", 1943). Holds for at least five elements, and for any distance that
/// is neither 0 nor half the number of elements.
inline Moments SerialMoments(uint64_t size) {
  const auto n = static_cast<double>(size);
  const double squares = n * (n * n - 1) / 12;
  const double fourths = n * (n * n - 1) * (3 * n * n - 7) / 240;
  const double mean = -squares / (n - 1);
  const double variance =
      (squares * squares - fourths) / (n - 1) + (squares * squares - 2 * fourths) / ((n - 1) * (n - 2)) - mean * mean;
  return {.mean = mean, .deviation = std::sqrt(variance)};
}

}  // namespace ofindex
