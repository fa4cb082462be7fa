#pragma once

#include <functional>
#include <string_view>

namespace ofindex {

/// The wildcards of a pattern: those of SQL's LIKE or of a shell's GLOB, as SQLite has them.
struct PatternRules {
  char any;                      ///< matches any number of characters
  char one;                      ///< matches one character
  bool sets;                     ///< [a-z] and [^a-z] match one character
  bool fold;                     ///< ASCII letters match in either case
  std::string_view escape = {};  ///< character that makes the next one literal; empty if there is none
};

inline constexpr PatternRules kLikeRules = {.any = '%', .one = '_', .sets = false, .fold = true};
inline constexpr PatternRules kGlobRules = {.any = '*', .one = '?', .sets = true, .fold = false};

/// Returns true if all of `text` matches `pattern`. Takes time proportional to the product of their sizes at worst, and
/// calls `may_continue` now and then; if that returns false, the search ends with false.
[[nodiscard]] bool Matches(std::string_view text, std::string_view pattern, const PatternRules& rules,
                           const std::function<bool()>& may_continue);

}  // namespace ofindex
