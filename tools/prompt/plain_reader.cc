#include "tools/prompt/plain_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "tools/prompt/prompt_signals.h"
#include "tools/terminal/terminal.h"

namespace ofindex {

LineInput PlainReader::Read(const std::string& prompt) {
  WriteToScreen(prompt);
  std::array<char, 4096> bytes;
  for (;;) {
    if (const size_t end = ahead_.find('\n'); end != std::string::npos) {
      LineInput input{LineInput::Kind::kLine, ahead_.substr(0, end)};
      ahead_.erase(0, end + 1);
      return input;
    }
    if (PromptSignals::WaitForInput()) {
      const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (n == 0 && !ahead_.empty()) return {LineInput::Kind::kLine, std::exchange(ahead_, "")};
      if (n == 0 || (n < 0 && errno != EINTR)) return {LineInput::Kind::kEnd, ""};
      if (n > 0) ahead_.append(bytes.data(), static_cast<size_t>(n));
    } else if (PromptSignals::must_end()) {
      return {LineInput::Kind::kEnd, ""};
    } else if (PromptSignals::interrupted()) {
      ahead_.clear();
      WriteToScreen("\n");
      return {LineInput::Kind::kInterrupted, ""};
    } else {
      static_cast<void>(PromptSignals::TakeResized() || PromptSignals::TakeContinued());  // nothing to draw again
    }
  }
}

}  // namespace ofindex
