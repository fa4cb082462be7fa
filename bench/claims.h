#pragma once

#include <string>

namespace ofindex {

/// What a benchmark is asked to show: a number and the bound that it should keep.
struct Claim {
  enum class Bound { kAtLeast, kAtMost, kNone };

  std::string name;
  Bound bound = Bound::kNone;  ///< kNone: shown for comparison
  double asked = 0;
  std::string unit = {};  ///< empty: a ratio
};

/// Keeps `got` for the table, in place of what was reported under that name before. Not thread-safe.
void Report(const Claim& claim, double got);

/// Prints a line for each claim that was reported, in that order: what was asked and what was got.
void PrintClaims();

}  // namespace ofindex
