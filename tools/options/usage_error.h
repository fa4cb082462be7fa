#pragma once

#include "base/result.h"
#include "tools/help/command_table.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ofindex {

/// The mark at the end of words that begin with a bracket, while CLI11 has them (command_line.cc).
inline constexpr char kWordMark = '\x1f';

/// Returns the error for a command line that `app` has refused with `error`: what is wrong with which word, and what
/// was expected. The hint says what was probably meant, or names the help to read.
[[nodiscard]] Error UsageError(const CLI::App& app, const CommandTable& table, const CLI::ParseError& error);

}  // namespace ofindex
