#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/help/command_table.h"

namespace ofindex {

/// Returns an error if the first of `arguments`, those of a command line of `verb`, is INDEX and names nothing, and a
/// later one names an index, or data; unless the verb takes DATA, too. Its hint is the command with that one first.
/// `words` are those after the verb.
[[nodiscard]] std::optional<Error> SwappedArguments(const CommandTable& table, const VerbText& verb,
                                                    const std::vector<std::string>& arguments,
                                                    const std::vector<std::string>& words);

}  // namespace ofindex
