#pragma once

#include <cstddef>
#include <string>

#include "tools/help/command_table.h"

namespace ofindex {

/// Returns the width of help on standard output: that of the terminal, but at most 100 characters.
[[nodiscard]] size_t HelpWidth();

/// Returns the text of `ofindex --help` in lines of at most `width` characters: the verbs, and where to read on.
[[nodiscard]] std::string HelpOfCommand(const CommandTable& table, size_t width);

/// Returns the text of `ofindex VERB --help` in lines of at most `width` characters: usage, what the verb does, its
/// arguments and options, and examples.
[[nodiscard]] std::string HelpOfVerb(const CommandTable& table, const VerbText& verb, size_t width);

}  // namespace ofindex
