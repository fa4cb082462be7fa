#pragma once

#include <string>
#include <utility>

namespace ofindex {

/// The claim of a benchmark: a number and the bound that it should keep.
struct BenchClaim {
  enum class Bound { kAtLeast, kAtMost, kNone };

  std::string name;
  Bound bound = Bound::kNone;  ///< kNone: shown for comparison
  double asked = 0;
  std::string unit = {};  ///< empty: a ratio
};

/// Returns a claim of at most `asked`.
[[nodiscard]] inline BenchClaim AtMost(std::string name, double asked, std::string unit = {}) {
  return {std::move(name), BenchClaim::Bound::kAtMost, asked, std::move(unit)};
}

// For numbers in units of claims.
inline constexpr double kMiB = 1 << 20;
inline constexpr double kMillion = 1e6;

/// Records `got` for the table, replacing an earlier number under the same name. Not thread-safe.
void Report(const BenchClaim& claim, double got);

/// Prints a line for each reported claim, in order: the bound and the number.
void PrintClaims();

}  // namespace ofindex
