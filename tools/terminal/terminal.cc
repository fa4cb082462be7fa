#include "tools/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace ofindex {
namespace {

constexpr size_t kUnknownWidth = 80;
constexpr size_t kUnknownHeight = 24;
constexpr size_t kMaxTerminalWidth = 10'000;

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// Returns COLUMNS, or 0 if it is not a number from 1 to the largest width.
size_t WidthFromEnvironment() {
  const std::string_view text = Variable("COLUMNS");
  size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc() && end == text.data() + text.size() && width <= kMaxTerminalWidth ? width : 0;
}

winsize SizeOf(int stream) {
  winsize size{};
  if (::ioctl(stream, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

}  // namespace

std::optional<size_t> TerminalWidth(int stream) {
  if (::isatty(stream) != 1) return std::nullopt;
  if (const size_t width = WidthFromEnvironment(); width > 0) return width;
  const winsize size = SizeOf(stream);
  return size.ws_col > 0 ? size.ws_col : kUnknownWidth;
}

size_t TerminalHeight() {
  const winsize size = SizeOf(STDOUT_FILENO);
  return size.ws_row > 0 ? size.ws_row : kUnknownHeight;
}

bool IsDumbTerminal() {
  const std::string_view term = Variable("TERM");
  return term.empty() || term == "dumb";
}

void WriteToScreen(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
  static_cast<void>(std::fflush(stdout));
}

}  // namespace ofindex
