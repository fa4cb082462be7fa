#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ofindex {

/// Every class alike, whatever its count.
inline constexpr double kInfiniteTemperature = std::numeric_limits<double>::infinity();

/// Weights in proportion to count^(1 / `temperature`), of at most 2^40 for the greatest of `counts`, 0 for a count of 0
/// and otherwise 1 at least. `temperature` is 1 or more. Computed in integers, as the last bits of pow() are not the
/// same on every machine; right within 1 in 2^30 and one unit. A temperature of 1 gives the counts themselves, and an
/// infinite one 1 for all.
[[nodiscard]] std::vector<uint64_t> ClassWeights(std::span<const uint64_t> counts, double temperature);

}  // namespace ofindex
