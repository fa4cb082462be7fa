#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ofindex {

/// Equal probability for every class, whatever its count.
inline constexpr double kInfiniteTemperature = std::numeric_limits<double>::infinity();

/// Returns weights in proportion to count^(1 / `temperature`): at most 2^40 for the greatest of `counts`, 0 for a count
/// of 0 and otherwise at least 1. `temperature` is at least 1. Computed in integers, since the last bits of pow()
/// differ between machines; accurate within 1 in 2^30 plus one unit. Temperature 1 gives the counts themselves, and
/// infinity 1 for all.
[[nodiscard]] std::vector<uint64_t> ClassWeights(std::span<const uint64_t> counts, double temperature);

}  // namespace ofindex
