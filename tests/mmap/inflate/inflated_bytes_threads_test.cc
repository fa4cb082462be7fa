#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/threads.h"
#include "tests/mmap/inflate/inflated_stream.h"
#include "tests/support/sanitizers.h"

namespace ofindex {
namespace {

TEST_CASE("threads that evict each other's spans from a small cache all read correctly") {
  const std::string text = Numbers(2'000'000);
  const InflatedStream stream(text, 3);
  SpanCache cache(300'000);
  const InflatedBytes bytes = stream.Through(cache);
  std::atomic<int> wrong{0};
  RunOnThreads(4, [&](unsigned thread) {
    std::mt19937_64 random(thread % 2);
    for (int i = 0; i < 200; ++i) {
      if (!ReadsRight(bytes, text, random() % text.size(), random() % 5000)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("a forked child can read although another thread of its parent held the cache") {
  if (kSanitized) return;  // the other thread may hold the sanitizer's allocator
  const std::string text = Numbers(1'000'000);
  const InflatedStream stream(text, 1);
  SpanCache cache(1 << 20);
  const InflatedBytes bytes = stream.Through(cache);
  REQUIRE(ReadsRight(bytes, text, 500'000, 1000));
  std::atomic<bool> stop{false};
  std::atomic<bool> wrong{false};
  std::thread busy([&] {
    for (uint64_t i = 0; !stop; i = (i + 77'777) % 900'000) wrong = wrong || !ReadsRight(bytes, text, i, 10);
  });
  for (int i = 0; i < 30; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(ReadsRight(bytes, text, 300'000, 200'000) ? 0 : 1);
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  stop = true;
  busy.join();
  CHECK(!wrong);
}

}  // namespace
}  // namespace ofindex
