#include "bench/pairs/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/file.h"

namespace ofindex {
namespace {

constexpr char kThisProgram[] = "/proc/self/exe";

// Creates a pipe whose ends children do not inherit automatically.
Result<std::array<int, 2>> MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(SystemError("pipe", "cannot open", errno));
  return ends;
}

int Spawn(pid_t* pid, const std::vector<std::string>& task, int in, int out) {
  std::vector<char*> arguments = {const_cast<char*>(kThisProgram), const_cast<char*>("--child")};
  for (const std::string& word : task) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  const int error = ::posix_spawn(pid, kThisProgram, &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<Child> Child::Start(const std::vector<std::string>& task) {
  OFINDEX_ASSIGN(const auto to, MakePipe());
  OFINDEX_ASSIGN(const auto from, MakePipe());
  Child child(-1, to[1], from[0]);
  const int error = Spawn(&child.pid_, task, to[0], from[1]);
  ::close(to[0]);
  ::close(from[1]);
  if (error != 0) return tl::unexpected(SystemError(task.front(), "cannot start", error));
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), to_(std::exchange(other.to_, -1)), from_(std::exchange(other.from_, -1)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(to_, other.to_);
  std::swap(from_, other.from_);
  return *this;
}

Child::~Child() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

Result<double> Child::ReadNumber() {
  std::string line;
  char byte = 0;
  while (::read(from_, &byte, 1) == 1) {
    if (byte == '\n') return std::strtod(line.c_str(), nullptr);
    line += byte;
  }
  return Fail(ErrorCode::kIo, "a child ended without an answer");
}

Result<void> Child::Wake() {
  if (::write(to_, "\n", 1) != 1) return tl::unexpected(SystemError("child", "cannot be woken", errno));
  return {};
}

}  // namespace ofindex
