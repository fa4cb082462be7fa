#pragma once

#include <cstddef>
#include <string>

#include "tools/help/command_table.h"

namespace ofindex {

/// The width of the help where that of the terminal is not known.
inline constexpr size_t kHelpWidth = 100;

/// Returns the text of `ofindex --help` in lines of at most `width` characters: the verbs, and where to read on.
[[nodiscard]] std::string HelpOfCommand(const CommandTable& table, size_t width);

/// Returns the text of `ofindex VERB --help` in lines of at most `width` characters: usage, what the verb does, its
/// arguments and options, and examples.
[[nodiscard]] std::string HelpOfVerb(const CommandTable& table, const VerbText& verb, size_t width);

}  // namespace ofindex
