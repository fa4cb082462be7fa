#include "tests/support/child_process.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace ofindex {

pid_t StartChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  // An exception ends the child here: it must not unwind into the parent's tests.
  if (child == 0) [&]() noexcept { ::_exit(body()); }();
  return child;
}

int WaitForChild(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) REQUIRE(errno == EINTR);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int RunInChild(const std::function<int()>& body) { return WaitForChild(StartChild(body)); }

}  // namespace ofindex
