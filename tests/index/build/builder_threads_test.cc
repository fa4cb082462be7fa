#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "index/build/builder.h"
#include "tests/index/built_set.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

Result<BuildReport> BuildNow(const BuildOptions& options) {
  Progress progress;
  return BuildIndex(options, progress);
}

TEST_CASE("an interrupted build keeps the old index and leaves no temporary file") {
  BuiltSet set;
  set.PutAllSorts();
  set.Build(set.Options());
  const std::string before = ReadFile(set.index());
  const std::string map_before = ReadFile(set.map());
  BuildOptions options = set.Options(true);
  options.force = true;
  // Stopped before it starts, and after a given number of bytes.
  for (const uint64_t after : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, uint64_t{100'000}}) {
    Progress progress;
    progress.cancel = after == 0;
    std::jthread stopper([&] {
      while (progress.bytes_done < after && progress.shards_done < 7) std::this_thread::yield();
      progress.cancel = true;
    });
    const Result<BuildReport> report = BuildIndex(options, progress);
    stopper.join();
    CHECK(FilesIn(set.folder()) == kBuiltFiles);
    if (report) {
      // The build ended before it was interrupted. The next build must start from the same state.
      BuildOptions as_before = set.Options();
      as_before.force = true;
      set.Build(as_before);
    } else {
      CHECK(report.error().code == ErrorCode::kInterrupted);
    }
    CHECK(ReadFile(set.index()) == before);
    CHECK(ReadFile(set.map()) == map_before);
  }
}

TEST_CASE("a second builder is refused while the first one works, and one that waits uses its result") {
  BuiltSet set;
  set.PutSome();
  {
    const Result<AtomicFile> first = AtomicFile::Begin(set.index(), AtomicFile::IfLocked::kFail);
    REQUIRE(first.has_value());
    CHECK(BuildNow(set.Options()).error().code == ErrorCode::kLocked);
  }
  std::optional<Result<BuildReport>> waited;
  std::jthread waiter;
  {
    Result<AtomicFile> first = AtomicFile::Begin(set.index(), AtomicFile::IfLocked::kFail);
    REQUIRE(first.has_value());
    BuildOptions waiting = set.Options();
    waiting.if_locked = AtomicFile::IfLocked::kWait;
    waiter = std::jthread([&, waiting] { waited = BuildNow(waiting); });
    // The index that the first build publishes: the same data, built elsewhere.
    BuildOptions elsewhere = set.Options();
    elsewhere.index = set.folder() + "/other.ofidx";
    set.Build(elsewhere);
    fs::copy_file(elsewhere.index, first->path(), fs::copy_options::overwrite_existing);
    REQUIRE(first->Publish(AtomicFile::Durability::kCached).has_value());
  }
  waiter.join();
  REQUIRE(waited);
  REQUIRE(waited->has_value());
  CHECK((*waited)->facts.records == 70);
}

}  // namespace
}  // namespace ofindex
