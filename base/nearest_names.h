#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ofindex {

/// How many bytes have to be put in, left out or replaced, or swapped with the next, to make `b` of `a`, without regard
/// to the case of ASCII; or `most` + 1 if it is more than `most`. Takes time in proportion to the shorter of the two,
/// times `most`.
[[nodiscard]] size_t EditDistance(std::string_view a, std::string_view b, size_t most);

/// Those of `names` that somebody who wrote `wrong` may have meant: at most three, the nearest first, no further off
/// than a third of what was written, nor much further than the nearest. Each once; among equals in the order given.
[[nodiscard]] std::vector<std::string> NearestNames(std::string_view wrong, const std::vector<std::string>& names);

/// "did you mean 'a', 'b' or 'c'?" of such names, each between two of `quote`; empty if there are none.
[[nodiscard]] std::string DidYouMean(const std::vector<std::string>& nearest, std::string_view quote);

}  // namespace ofindex
