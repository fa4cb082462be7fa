#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ofindex {

/// Returns the chi-square statistic of `counts` against the proportions in `expected`, in standard deviations above its
/// mean: beyond 4 or so, the counts were not drawn in these proportions. Categories with an expected count of 0 must
/// be empty.
inline double ChiSquareDeviations(const std::vector<uint64_t>& counts, const std::vector<double>& expected) {
  double drawn = 0;
  double total = 0;
  for (const uint64_t count : counts) drawn += static_cast<double>(count);
  for (const double one : expected) total += one;
  double sum = 0;
  double freedom = -1;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double due = drawn * expected[i] / total;
    const double off = static_cast<double>(counts[i]) - due;
    if (due == 0 && off != 0) return HUGE_VAL;
    if (due == 0) continue;
    sum += off * off / due;
    ++freedom;
  }
  return freedom <= 0 ? 0 : (sum - freedom) / std::sqrt(2 * freedom);
}

}  // namespace ofindex
