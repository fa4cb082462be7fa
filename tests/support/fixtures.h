#pragma once

#include <optional>
#include <string>

namespace ofindex {

/// Returns the folder named by OFINDEX_FIXTURES. If the variable names no folder, returns nullopt and prints a message.
[[nodiscard]] std::optional<std::string> FixturesOrMessage();

}  // namespace ofindex
