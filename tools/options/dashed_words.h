#pragma once

#include <string>
#include <vector>

#include "tools/help/command_table.h"

namespace ofindex {

/// Returns `words`, the command line of `verb` after its name, with those that are SQL and begin with a dash, such as
/// `-age < -89`, behind a `--`, where they are arguments and no options. Words that may be misspelt options stay where
/// they are. Only for a verb with an argument that may begin with a dash.
[[nodiscard]] std::vector<std::string> DashedLast(const VerbText& verb, const std::vector<std::string>& words);

}  // namespace ofindex
