#pragma once

#include <optional>
#include <string>

namespace ofindex {

/// The folder of fixtures that OFINDEX_FIXTURES names. Nothing, with a message in the test's output, if it names none.
[[nodiscard]] std::optional<std::string> FixturesOrMessage();

}  // namespace ofindex
