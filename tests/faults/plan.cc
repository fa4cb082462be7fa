#include "faults/plan.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace ofindex::faults {
namespace {

constexpr size_t kCountsBytes = 4096;

struct Plan {
  size_t kind = std::size(kKindNames);
  uint64_t at = 0;
  Fault fault = 0;
  bool from_there_on = false;
};

// The number of failed calls, then that of the calls of each kind. Lies in a file, so that it outlives the process.
std::atomic<uint64_t>* counts = nullptr;
Plan plan;
std::atomic<bool> in_main = false;
thread_local int uncounted = 0;

Plan ReadPlan(const char* text) {
  Plan read;
  char kind[16] = "";
  char until[8] = "";
  unsigned long long at = 0;
  if (std::sscanf(text, "%15s %llu %d %7s", kind, &at, &read.fault, until) != 4) std::abort();
  read.at = at;
  read.from_there_on = std::strcmp(until, "on") == 0;
  for (size_t i = 0; i < std::size(kKindNames); ++i) {
    if (std::strcmp(kKindNames[i], kind) == 0) read.kind = i;
  }
  if (read.kind == std::size(kKindNames)) std::abort();
  return read;
}

[[gnu::constructor]] void ReadVariables() {
  if (const char* const text = std::getenv("FAULTS_PLAN")) plan = ReadPlan(text);
  const char* const path = std::getenv("FAULTS_COUNTS");
  if (path == nullptr) return;
  const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
  if (fd < 0) std::abort();
  const long mapped = ::syscall(SYS_mmap, nullptr, kCountsBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::syscall(SYS_close, fd);
  if (mapped == -1) std::abort();
  counts = reinterpret_cast<std::atomic<uint64_t>*>(mapped);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int CountedMain(int argc, char** argv, char** environment) {
  in_main = true;
  const int code = real_main(argc, argv, environment);
  in_main = false;
  return code;
}

}  // namespace

std::optional<Fault> Strike(Kind kind) {
  if (counts == nullptr || !in_main || uncounted > 0) return std::nullopt;
  const auto number = static_cast<size_t>(kind);
  const uint64_t n = counts[1 + number].fetch_add(1) + 1;
  if (plan.kind != number || (plan.from_there_on ? n < plan.at : n != plan.at)) return std::nullopt;
  counts[0].fetch_add(1);
  return plan.fault;
}

Uncounted::Uncounted() { ++uncounted; }
Uncounted::~Uncounted() { --uncounted; }

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld)(),
                                 void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"))(CountedMain, argc, argv, init, fini, rtld,
                                                                          stack_end);
}

}  // namespace ofindex::faults
