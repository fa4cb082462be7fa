#include "tests/support/child_process.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

/// Read by ThreadSanitizer. A helper of RunOnThreads may end after the call, and is joined when the process exits; a
/// forked child inherits its record, and can never join it. A forgotten join needs no report: std::thread's destructor
/// would end the program.
extern "C" const char* __tsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "report_thread_leaks=0";
}

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
