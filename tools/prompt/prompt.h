#pragma once

#include <string>

#include "query/sql/sql_session.h"
#include "tools/prompt/prompt_session.h"
#include "tools/shell/context.h"

namespace ofindex {

/// Returns true if a user can be asked: standard input and output are terminals.
[[nodiscard]] bool HasUser();

/// Asks for statements and dot commands, and shows their results, until the user ends it. `greeting` is shown first,
/// unless -q was given. Returns 0. A statement's errors are shown and end nothing. On a dumb terminal, lines are read
/// without an editor. Errors: kInterrupted after SIGTERM or SIGHUP.
[[nodiscard]] Result<int> RunPrompt(SqlSession& session, StatementOptions options, RowForm form,
                                    const std::string& greeting, Context& context);

}  // namespace ofindex
