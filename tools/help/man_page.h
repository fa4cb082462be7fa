#pragma once

#include <string>

#include "tools/help/command_table.h"

namespace ofindex {

/// Returns the manual page of the command, ofindex(1), in the macros of man(7).
[[nodiscard]] std::string ManOfCommand(const CommandTable& table);

/// Returns the manual page of one verb, ofindex-VERB(1).
[[nodiscard]] std::string ManOfVerb(const CommandTable& table, const VerbText& verb);

}  // namespace ofindex
