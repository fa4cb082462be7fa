#pragma once

#include <string_view>
#include <vector>

#include "tools/prompt/prompt_reader.h"
#include "tools/prompt/prompt_session.h"

namespace ofindex {

/// Returns true if a line, entered while no statement is unfinished, is a dot command: it begins with a dot, or
/// with a backslash, as commands do elsewhere, or is "help", "quit" or "exit" alone.
[[nodiscard]] bool IsDotCommand(std::string_view line);

/// Returns true if a line begins with the name of a dot command, so that it is hardly part of an unfinished statement.
[[nodiscard]] bool NamesDotCommand(std::string_view line);

/// Runs a dot command. Returns false if it ends the prompt. Errors: kUsage if there is no such command, or if it does
/// not take the argument.
[[nodiscard]] Result<bool> RunDotCommand(std::string_view line, PromptSession& session);

/// Completes the name of a dot command, or its argument.
[[nodiscard]] WordCompletion CompleteDotCommand(std::string_view line, const std::vector<SqlTable>& tables);

}  // namespace ofindex
