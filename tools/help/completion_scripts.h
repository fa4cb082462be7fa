#pragma once

#include <string>
#include <string_view>

namespace ofindex {

/// Returns the script that completes the command `program` in `shell`: bash, zsh or fish. It asks the command itself
/// for the candidates (tools/help/completion.h), so it never differs from it. Returns an empty string for other shells.
[[nodiscard]] std::string CompletionScript(std::string_view shell, std::string_view program);

}  // namespace ofindex
