#include "base/file_watch.h"

#include <doctest/doctest.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1000 * kMillisecond;

int64_t Now() {
  timespec now{};
  REQUIRE(::clock_gettime(CLOCK_REALTIME, &now) == 0);
  return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

FileFacts ChangedAgo(int64_t age_ns) {
  FileFacts facts;
  facts.ctime_ns = Now() - age_ns;
  return facts;
}

TEST_CASE("a change counts as recent for one tick, even if a file server's clock is up to a minute ahead") {
  struct Row {
    int64_t age_ns;  // of the last change, by our clock
    bool just_now;
  };
  const std::vector<Row> rows = {
      {0, true},
      {-kMillisecond, true},
      {-5 * kSecond, true},
      {-50 * kSecond, true},
      {-3600 * kSecond, false},  // the clock was wrong, so the next change gets a different time
      {kSecond, false},
      {3600 * kSecond, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.age_ns);
    CHECK(ChangedJustNow(ChangedAgo(row.age_ns)) == row.just_now);
    const int64_t before = Now();
    CHECK(WaitForNextTick(ChangedAgo(row.age_ns)) == row.just_now);
    CHECK(Now() - before < kSecond);  // no wait for a clock that is far ahead
  }
}

TEST_CASE("a change of some milliseconds ago is recent") {
  bool recent = false;
  for (int attempt = 0; attempt < 1000 && !recent; ++attempt) {  // another program may take the processor meanwhile
    recent = ChangedJustNow(ChangedAgo(10 * kMillisecond));
  }
  CHECK(recent);
}

TEST_CASE("bytes that were read while the file changed are read again") {
  const TempDir dir;
  WriteFile(dir / "f", "old");
  const FileWatch watch(File::OpenRead(dir / "f").value());
  int reads = 0;
  const auto sound = []() -> Result<void> { return {}; };
  const auto read = [&]() -> Result<std::string> {
    std::string bytes = ReadFile(dir / "f");
    if (++reads > 1) return bytes;
    WriteFile(dir / "f", "new");  // as long as before
    SetMtime(dir / "f", 1'000'000'000);
    return bytes;
  };
  CHECK(watch.Consistent(sound, read).value() == "new");
}

TEST_CASE("the wait for the next tick ends when a change is no longer recent") {
  const FileFacts facts = ChangedAgo(0);
  CHECK(WaitForNextTick(facts));
  CHECK_FALSE(ChangedJustNow(facts));
  CHECK_FALSE(WaitForNextTick(facts));
}

}  // namespace
}  // namespace ofindex
