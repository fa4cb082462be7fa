#include "mmap/files/fault_guard.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "mmap/files/mapped_file.h"
#include "tests/mmap/files/guarded_copy.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr size_t kPage = 4096;
constexpr int kPassedOn = 42;

volatile sig_atomic_t expecting = 0;

// Stands for another library's handler: installed before main, and so before the guard's.
void OnForeignFault(int, siginfo_t* info, void*) {
  if (expecting != 0) ::_exit(info->si_signo == SIGBUS ? kPassedOn : 1);
  ::signal(SIGBUS, SIG_DFL);
}

const bool foreign_handler_installed = [] {
  struct sigaction action {};
  action.sa_sigaction = OnForeignFault;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}();

// A mapped file of four pages of 'x', truncated to `size` bytes.
class CutFile {
 public:
  explicit CutFile(uint64_t size) {
    WriteFile(dir_ / "f", std::string(4 * kPage, 'x'));
    map_ = MappedFile::Map(File::OpenRead(dir_ / "f").value(), 4 * kPage).value();
    TruncateTo(dir_ / "f", size);
  }
  [[nodiscard]] const uint8_t* data() const { return map_.bytes().data(); }

 private:
  TempDir dir_;
  MappedFile map_;
};

TEST_CASE("a copy succeeds where the file exists and returns false where it was truncated") {
  const CutFile file(2 * kPage);
  std::vector<uint8_t> out(4 * kPage);
  struct Row {
    size_t offset, n;
    bool whole;
  };
  const Row rows[] = {
      {0, 2 * kPage, true},       // everything that is left
      {0, 0, true},               // nothing
      {2 * kPage - 1, 1, true},   // the last byte
      {2 * kPage, 1, false},      // the first byte that is gone
      {2 * kPage - 1, 2, false},  // begins before the cut, ends after it
      {0, 4 * kPage, false},      // everything that was there
      {4 * kPage - 1, 1, false},  // the last byte that was there
  };
  for (const Row& row : rows) {
    CAPTURE(row.offset);
    CAPTURE(row.n);
    CHECK(GuardedCopy(out.data(), file.data() + row.offset, row.n) == row.whole);
  }
}

TEST_CASE("the process survives ten thousand faults in a row") {
  const CutFile file(0);
  uint8_t out = 0;
  int survived = 0;
  for (int i = 0; i < 10'000; ++i) survived += !GuardedCopy(&out, file.data(), 1);
  CHECK(survived == 10'000);
}

TEST_CASE("bytes past the end of the file in its last page read as zeros, without a fault") {
  const CutFile file(kPage + 10);
  std::vector<uint8_t> out(20);
  REQUIRE(GuardedCopy(out.data(), file.data() + kPage, out.size()));
  CHECK(AsText(out) == std::string(10, 'x') + std::string(10, '\0'));
}

TEST_CASE("a guarded section that is cut short can report its progress") {
  const CutFile file(kPage);
  volatile size_t pages = 0;
  CHECK_FALSE(FaultGuard::Run([&] {
    for (size_t page = 0; page < 4; ++page) {
      static_cast<void>(*const_cast<const volatile uint8_t*>(file.data() + page * kPage));
      pages = page + 1;
    }
  }));
  CHECK(pages == 1);
}

TEST_CASE("a fault outside a guarded section goes to the previous handler") {
  REQUIRE(foreign_handler_installed);
  const CutFile file(0);
  FaultGuard::Install();
  const auto touch = [&] {
    expecting = 1;
    static_cast<void>(*const_cast<const volatile uint8_t*>(file.data()));
    return 0;
  };
  CHECK(RunInChild(touch) == kPassedOn);
  // The same after a guarded section of this thread that was cut short, and after one that was not.
  CHECK(RunInChild([&] {
          uint8_t out = 0;
          return GuardedCopy(&out, file.data(), 1) ? 1 : touch();
        }) == kPassedOn);
  CHECK(RunInChild([&] {
          uint8_t out = 0;
          return GuardedCopy(&out, &out, 1) ? touch() : 1;
        }) == kPassedOn);
}

TEST_CASE("a signal sent by another process is passed on too") {
  FaultGuard::Install();
  CHECK(RunInChild([] {
          expecting = 1;
          ::kill(::getpid(), SIGBUS);
          return 0;
        }) == kPassedOn);
}

TEST_CASE("without a previous handler, a fault outside a guarded section ends the process as usual") {
  FaultGuard::Install();
  const CutFile file(0);
  CHECK(RunInChild([&] {
          static_cast<void>(*const_cast<const volatile uint8_t*>(file.data()));
          return 0;
        }) == -SIGBUS);
}

TEST_CASE("a forked child is guarded like its parent") {
  FaultGuard::Install();
  const CutFile file(0);
  CHECK(RunInChild([&] {
          uint8_t out = 0;
          return GuardedCopy(&out, file.data(), 1) ? 1 : 0;
        }) == 0);
}

TEST_CASE("a child that installs its own handler is still guarded, and its handler receives all other signals") {
  FaultGuard::Install();
  const CutFile file(0);
  static volatile bool guarded = true;
  CHECK(RunInChild([&] {
          // As torch's loader workers do.
          ::signal(SIGBUS, [](int) { ::_exit(guarded ? 1 : kPassedOn + 1); });
          uint8_t out = 0;
          if (GuardedCopy(&out, file.data(), 1)) return 1;
          guarded = false;
          return static_cast<int>(*const_cast<const volatile uint8_t*>(file.data()));
        }) == kPassedOn + 1);
}

struct sigaction wrapped_handler;

TEST_CASE("a fault leaves the signal mask unchanged, even if our handler is called from one that blocks every signal") {
  FaultGuard::Install();
  const CutFile file(0);
  CHECK(RunInChild([&] {
          uint8_t out = 0;
          if (GuardedCopy(&out, file.data(), 1)) return 1;
          // The wrapper that a sanitizer or a debugger's runtime installs.
          struct sigaction wrapper {};
          wrapper.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
            wrapped_handler.sa_sigaction(signal, info, context);
          };
          wrapper.sa_flags = SA_SIGINFO;
          ::sigfillset(&wrapper.sa_mask);
          ::sigaction(SIGBUS, &wrapper, &wrapped_handler);
          for (int i = 0; i < 3; ++i) {
            if (GuardedCopy(&out, file.data(), 1)) return 2;
          }
          sigset_t mask;
          ::sigprocmask(SIG_SETMASK, nullptr, &mask);
          return ::sigismember(&mask, SIGBUS) + ::sigismember(&mask, SIGTERM);
        }) == 0);
}

}  // namespace
}  // namespace ofindex
