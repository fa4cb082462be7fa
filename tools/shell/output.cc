#include "tools/shell/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kBufferBytes = 64 << 10;

bool IsTerminal() {
  static const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  return is_terminal;
}

bool IsPlainText(std::string_view text) {
  std::string line;
  std::remove_copy_if(text.begin(), text.end(), std::back_inserter(line),
                      [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return IsUtf8(line) && !HasControl(line);
}

}  // namespace

Output& Output::Standard() {
  static Output output(nullptr);
  return output;
}

Result<void> Output::Write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) OFINDEX_TRY(Flush());
  if (text.size() > kBufferBytes) return WriteAll(text);
  buffer_ += text;
  return {};
}

Result<void> Output::Line(std::string_view text) {
  OFINDEX_TRY(Write(text));
  return Write("\n");
}

Result<void> Output::Flush() {
  const std::string text = std::move(buffer_);
  buffer_.clear();
  return WriteAll(text);
}

Result<void> Output::WriteAll(std::string_view text) const {
  if (sink_) return text.empty() ? Result<void>() : sink_(text);
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EPIPE) ::_exit(0);
    if (n < 0 && errno != EINTR) return tl::unexpected(SystemError("standard output", "cannot write", errno));
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
    // A signal interrupts a write that waits for its reader.
    if (!text.empty() && cancel_ != nullptr && *cancel_) return Interrupted();
  }
  return {};
}

Result<void> RefuseOnTerminal(std::string_view what, const std::string& hint) {
  if (!IsTerminal()) return {};
  return Fail(
      ErrorCode::kUsage,
      StrCat("standard output is a terminal, and ", what, " writes bytes that are not text; expected a file or a pipe"),
      hint);
}

Result<void> RefuseOnTerminal(ByteView bytes, std::string_view what, const std::string& hint) {
  if (!IsTerminal() || IsPlainText(AsText(bytes))) return {};
  return RefuseOnTerminal(what, hint);
}

}  // namespace ofindex
