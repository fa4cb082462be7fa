#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// Returns the edit distance between `a` and `b`: insertions, deletions, substitutions and swaps of
/// adjacent bytes, ignoring ASCII case; `limit` + 1 if it exceeds `limit`. Takes time proportional to the
/// length of the shorter string times `limit`.
[[nodiscard]] size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

/// Returns the `names` that `wrong` may be a misspelling of: at most three, nearest first. Their edit distance is at
/// most a third of the length of `wrong`, and not much larger than that of the nearest name. No duplicates; names at
/// the same distance keep their order.
[[nodiscard]] std::vector<std::string> NearestNames(std::string_view wrong, const std::vector<std::string>& names);

/// Returns `text` between two of `quote`, with each `quote` in it doubled, as SQL takes names and strings.
[[nodiscard]] std::string Quoted(std::string_view text, char quote);

/// Returns `name`, printable, in `quote`. A double quote in a name in double quotes is doubled, as in SQL.
[[nodiscard]] std::string Enclosed(std::string_view name, std::string_view quote);

/// Returns "did you mean 'a', 'b' or 'c'?" for these names, each Enclosed() in `quote`; empty if there are none.
[[nodiscard]] std::string DidYouMean(const std::vector<std::string>& nearest, std::string_view quote);

}  // namespace ofindex
