#pragma once

#include <optional>
#include <string>

namespace ofindex {

/// Returns the fixtures folder named by OFINDEX_FIXTURES; if it names none, returns nullopt and prints
/// a message to the test's output.
[[nodiscard]] std::optional<std::string> FixturesOrMessage();

}  // namespace ofindex
