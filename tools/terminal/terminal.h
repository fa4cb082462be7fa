#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ofindex {

/// Returns how many columns the terminal of a stream has, 1 for standard output or 2 for standard error: COLUMNS if it
/// is set to a number, otherwise the terminal's own width, or 80 if that is unknown. Returns nothing if the stream is
/// not a terminal.
[[nodiscard]] std::optional<size_t> TerminalWidth(int stream);

/// Returns how many lines the terminal of standard output has; 24 if unknown.
[[nodiscard]] size_t TerminalHeight();

/// Returns true if TERM names no terminal with escape sequences: it is "dumb", empty or not set.
[[nodiscard]] bool IsDumbTerminal();

/// Writes `text` to the terminal of standard output at once. Ignores errors: the next input shows that it is gone.
void WriteToScreen(std::string_view text);

}  // namespace ofindex
