#include "tools/prompt/plain_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "tools/prompt/prompt_signals.h"

namespace ofindex {
namespace {

void WriteToTerminal(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
  static_cast<void>(std::fflush(stdout));
}

}  // namespace

LineInput PlainReader::Read(const std::string& prompt) {
  WriteToTerminal(prompt);
  std::array<char, 4096> bytes;
  for (;;) {
    if (const size_t end = ahead_.find('\n'); end != std::string::npos) {
      LineInput input{LineInput::Kind::kLine, ahead_.substr(0, end)};
      ahead_.erase(0, end + 1);
      return input;
    }
    const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    // The terminal drops what was entered before Ctrl-C, so bytes that are read now were entered later.
    if (PromptSignals::interrupted()) ahead_.clear();
    if (n > 0) ahead_.append(bytes.data(), static_cast<size_t>(n));
    if (PromptSignals::interrupted() && !PromptSignals::must_end()) {
      WriteToTerminal("\n");
      return {LineInput::Kind::kInterrupted, ""};
    }
    if (n == 0 || (n < 0 && errno != EINTR) || PromptSignals::must_end()) return {LineInput::Kind::kEnd, ""};
  }
}

}  // namespace ofindex
