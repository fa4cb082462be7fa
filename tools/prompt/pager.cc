#include "tools/prompt/pager.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "tools/prompt/prompt_signals.h"
#include "tools/shell/messages.h"
#include "tools/terminal/terminal.h"
#include "tools/terminal/text_width.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by the program

namespace ofindex {
namespace {

constexpr const char* kLess = "less";
// Quit if one screen, keep colours, chop lines, keep the screen, and say how to come back.
constexpr const char* kLessOptions = "LESS=FRSXP?e(END):q returns to the prompt.$";
constexpr const char* kLessIsSecure = "LESSSECURE=1";  // no shell and no files: pasted text may look like commands
constexpr size_t kMaxHeldBytes = size_t{1} << 20;      // of a result that may fit on the screen
constexpr int kCommandNotFound = 127;                  // of a shell

bool IsInstalled(std::string_view program) {
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "" : variable;
  while (!path.empty()) {
    const size_t end = std::min(path.find(':'), path.size());
    if (::access(StrCat(path.substr(0, end), "/", program).c_str(), X_OK) == 0) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

std::string PagerCommand() {
  if (IsDumbTerminal()) return "";
  const char* const pager = std::getenv("PAGER");
  if (pager != nullptr) return pager;
  return IsInstalled(kLess) ? kLess : "";
}

// Escapes what a terminal would obey. A carriage return before a line end is dropped.
std::string ForTerminal(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t end = text.find_first_of("\t\n");
    std::string_view part = text.substr(0, end);
    if (end != std::string_view::npos && text[end] == '\n' && part.ends_with('\r')) part.remove_suffix(1);
    out += Printable(part);
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

// Returns true if something was typed or pasted that is still to be read.
bool IsInputWaiting() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

// Starts `command` with `input` as its standard input. Returns its process, or -1.
pid_t Spawn(const std::string& command, int input) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t ignored;
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  sigaddset(&ignored, SIGXFSZ);
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &ignored);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::array<std::string, 3> words = {"sh", "-c", command};
  const std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  std::string options = kLessOptions;
  std::string secure = kLessIsSecure;
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  if (std::getenv("LESS") == nullptr) variables.push_back(options.data());
  variables.push_back(secure.data());
  variables.push_back(nullptr);
  pid_t process = -1;
  if (::posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments.data(), variables.data()) != 0) process = -1;
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return process;
}

}  // namespace

Pager::Pager(const Context& context)
    : context_(context),
      command_(PagerCommand()),
      width_(TerminalWidth(STDOUT_FILENO).value_or(SIZE_MAX)),
      lines_left_(TerminalHeight()) {}

Pager::~Pager() { static_cast<void>(End()); }

Result<void> Pager::Write(std::string_view raw) {
  const std::string text = ForTerminal(raw);
  if (process_ >= 0) return WriteTo(pipe_, text);
  if (command_.empty()) return WriteTo(STDOUT_FILENO, text);
  held_ += text;
  if (!IsLong(text) && held_.size() <= kMaxHeldBytes) return {};
  if (IsInputWaiting()) {
    command_.clear();  // it would be taken for commands of the pager
  } else {
    Start();
  }
  return WriteTo(process_ >= 0 ? pipe_ : STDOUT_FILENO, std::exchange(held_, ""));
}

Result<void> Pager::End() {
  Result<void> written;
  if (!held_.empty()) written = WriteTo(STDOUT_FILENO, std::exchange(held_, ""));
  if (process_ < 0) return written;
  ::close(pipe_);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    if (PromptSignals::must_end()) ::kill(process_, SIGTERM);
  }
  process_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCommandNotFound) {
    PrintNote(StrCat("there is no pager '", command_, "': set PAGER to another one, or to nothing"), context_);
  }
  return written;
}

// Returns true once the result is longer than the screen, the prompt included.
bool Pager::IsLong(std::string_view text) {
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const size_t width = line_width_ + ShownWidth(text.substr(0, end));
    lines_left_ -= std::min(lines_left_, 1 + (width == 0 ? 0 : (width - 1) / width_));
    line_width_ = 0;
    text.remove_prefix(end + 1);
  }
  line_width_ += ShownWidth(text);
  return lines_left_ <= line_width_ / width_;
}

void Pager::Start() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    command_.clear();
    return;
  }
  process_ = Spawn(command_, ends[0]);
  ::close(ends[0]);
  pipe_ = ends[1];
  if (process_ >= 0) return;
  ::close(pipe_);
  command_.clear();
}

Result<void> Pager::WriteTo(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EPIPE && fd != STDOUT_FILENO) {
      left_ = true;
      return Interrupted();
    }
    if (n < 0 && errno != EINTR) return tl::unexpected(SystemError("the terminal", "cannot write", errno));
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
    if (!text.empty() && context_.progress.cancel) return Interrupted();
  }
  return {};
}

}  // namespace ofindex
