#pragma once

#include <string>

namespace ofindex {

/// The claim of a benchmark: a number and the bound that it should keep.
struct Claim {
  enum class Bound { kAtLeast, kAtMost, kNone };

  std::string name;
  Bound bound = Bound::kNone;  ///< kNone: shown for comparison
  double asked = 0;
  std::string unit = {};  ///< empty: a ratio
};

/// Records `got` for the table, replacing an earlier number under the same name. Not thread-safe.
void Report(const Claim& claim, double got);

/// Prints a line for each reported claim, in order: the bound and the number.
void PrintClaims();

}  // namespace ofindex
