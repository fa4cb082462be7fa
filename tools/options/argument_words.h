#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/help/command_table.h"

namespace ofindex {

/// Returns true if the word after `word`, an option of `verb`, is its value.
[[nodiscard]] bool TakesNextWord(const VerbText& verb, std::string_view word);

/// Returns the positions of the arguments in `words`, the command line of `verb` after its name: of all words but
/// options, values of options, and the first `--`.
[[nodiscard]] std::vector<size_t> ArgumentPositions(const VerbText& verb, const std::vector<std::string>& words);

}  // namespace ofindex
