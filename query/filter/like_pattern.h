#pragma once

#include <functional>
#include <string_view>

namespace ofindex {

/// What the wildcards of a pattern are: those of SQL's LIKE or of a shell's GLOB, as SQLite has them.
struct PatternRules {
  char any;                      ///< matches any number of characters
  char one;                      ///< matches one character
  bool sets;                     ///< [a-z] and [^a-z] match one character
  bool fold;                     ///< letters of ASCII match in either case
  std::string_view escape = {};  ///< character before one that stands for itself; empty if there is none
};

inline constexpr PatternRules kLikeRules = {.any = '%', .one = '_', .sets = false, .fold = true};
inline constexpr PatternRules kGlobRules = {.any = '*', .one = '?', .sets = true, .fold = false};

/// True if all of `text` matches `pattern`. Takes time in proportion to the product of their sizes at worst, and calls
/// `may_go_on` now and then; false from it ends the search, with false.
[[nodiscard]] bool Matches(std::string_view text, std::string_view pattern, const PatternRules& rules,
                           const std::function<bool()>& may_go_on);

}  // namespace ofindex
