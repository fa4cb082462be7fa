#include "tools/http/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"

extern char** environ;

namespace ofindex {
namespace {

tl::unexpected<Error> BrowserError(std::string_view what, int cause) {
  return tl::unexpected<Error>(Error{ErrorCode::kIo,
                                     StrCat("--open: ", what, ": ", std::generic_category().message(cause)),
                                     "open the URL in a browser yourself", cause});
}

std::string TemporaryFolder() {
  for (const char* const name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* const folder = ::getenv(name);
    if (folder != nullptr && folder[0] == '/') return folder;
  }
  return "/tmp";
}

bool WriteWhole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<LeadingPage> LeadingPage::Write(const std::string& url) {
  constexpr std::string_view kEnd = ".html";
  std::string path = StrCat(TemporaryFolder(), "/ofindex-XXXXXX", kEnd);
  const int file = ::mkostemps(path.data(), static_cast<int>(kEnd.size()), O_CLOEXEC);  // mode 0600
  if (file < 0) return BrowserError(StrCat("cannot write ", Printable(path)), errno);
  LeadingPage page(path);
  const bool is_written = WriteWhole(
      file,
      StrCat("<!DOCTYPE html><title>ofindex</title><meta http-equiv=\"refresh\" content=\"0; url=", url, "\">\n"));
  const int cause = errno;
  ::close(file);
  if (!is_written) return BrowserError(StrCat("cannot write ", Printable(path)), cause);
  return page;
}

LeadingPage::LeadingPage(LeadingPage&& other) noexcept : path_(std::exchange(other.path_, {})) {}

LeadingPage::~LeadingPage() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<void> LeadingPage::Open() const {
  std::string command = "xdg-open";
  std::string argument = path_;
  std::array<char*, 3> words = {command.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // Standard output is for the URL alone.
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int cause = ::posix_spawnp(&child, command.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (cause != 0) return BrowserError("cannot start xdg-open", cause);
  return {};
}

}  // namespace ofindex
