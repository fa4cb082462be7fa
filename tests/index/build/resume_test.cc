#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <thread>

#include "base/file.h"
#include "index/build/builder.h"
#include "index/resume/saved_shards.h"
#include "tests/index/merge/random_set.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMtime = int64_t{1'700'000'000} * 1'000'000'000;

std::string SavedPath(const BuiltSet& set) { return SavedShards::PathFor(set.index()); }

/// The bytes of an index and of its map.
struct BuiltBytes {
  std::string index;
  std::string map;

  explicit BuiltBytes(const BuiltSet& set) : index(ReadFile(set.index())), map(ReadFile(set.map())) {}
  bool operator==(const BuiltBytes&) const = default;
};

/// Builds from the beginning, and removes the index again.
BuiltBytes CleanBytes(const BuiltSet& set, const BuildOptions& options) {
  REQUIRE_FALSE(fs::exists(SavedPath(set)));
  CHECK(set.Build(options).resumed_records == 0);
  BuiltBytes bytes(set);
  fs::remove(set.index());
  fs::remove(set.map());
  return bytes;
}

/// Returns options of a build that saves every shard.
BuildOptions Saving(BuildOptions options) {
  options.save_after = std::chrono::milliseconds(0);
  options.durability = AtomicFile::Durability::kCached;
  return options;
}

/// Writes a last shard that takes long enough for a build to be stopped in it.
void PutLongShard(BuiltSet& set, Framing framing = kTf) {
  set.Put("part-99", ShardBytes(framing, std::vector<std::string>(300'000, "x")));
}

/// Returns true if the file of saved shards holds at least `bytes` bytes; a new one holds only its header.
bool HasSaved(const std::string& path, uint64_t bytes) {
  const auto facts = StatFile(path);
  return facts && facts->size >= bytes;
}

/// Interrupts a build after it has saved at least `bytes` bytes, and leaves what it saved.
void StopBuild(const BuiltSet& set, const BuildOptions& options, uint64_t bytes = 100) {
  for (int tries = 0; tries < 1000; ++tries) {  // a busy machine notices late
    Progress progress;
    std::atomic<bool> ended{false};
    std::thread stopper([&] {
      for (;;) {
        if (HasSaved(SavedPath(set), bytes)) progress.cancel = true;
        if (progress.cancel || ended) return;
      }
    });
    const auto report = BuildIndex(Saving(options), progress);
    ended = true;
    stopper.join();
    if (!report) {
      REQUIRE(report.error().code == ErrorCode::kInterrupted);
      REQUIRE(FilesIn(set.folder()) == std::set<std::string>{"train", fs::path(SavedPath(set)).filename()});
      return;
    }
    for (const std::string& path : {set.index(), set.map()}) fs::remove(path);
  }
  FAIL("no build was stopped: the shards are too small for this test");
}

/// Builds, expects the bytes of a clean build and no other file, and returns the number of records that were taken up.
uint64_t CheckFinished(const BuiltSet& set, const BuildOptions& options, const BuiltBytes& clean) {
  const BuildReport report = set.Build(Saving(options));
  CHECK(BuiltBytes(set) == clean);
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
  fs::remove(set.index());
  fs::remove(set.map());
  return report.resumed_records;
}

/// Returns true if the child waits to be waited for.
bool HasEnded(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

BuiltSet& WithShards(BuiltSet& set) {
  set.PutAllSorts();
  PutLongShard(set);
  return set;
}

TEST_CASE("the next build takes up what a stopped one has saved, and gives the bytes of a clean build") {
  BuiltSet set;
  WithShards(set);
  for (const bool verify : {false, true}) {
    const BuildOptions options = set.Options(verify);
    const BuiltBytes clean = CleanBytes(set, options);
    StopBuild(set, options);
    CHECK(CheckFinished(set, options, clean) > 0);
    StopBuild(set, options);
    BuildOptions other_threads = options;
    other_threads.threads = 5;
    CHECK(CheckFinished(set, other_threads, clean) > 0);
  }
}

TEST_CASE("random sets of all sorts, with columns, damage and compressed shards, are taken up without loss") {
  std::mt19937_64 random(20261125);
  for (int run = 0; run < 30; ++run) {
    CAPTURE(run);
    const Framing framing = random() % 2 == 0 ? kTf : Framing::kOfRecord;
    BuiltSet set(framing);
    set.Put("a-0", ShardBytes(framing, SomePayloads(40, 60, 1)));
    PutRandomShards(set, framing, random);
    PutLongShard(set, framing);
    BuildOptions options = RandomOptions(set, random);
    options.format.framing = framing;
    const BuiltBytes clean = CleanBytes(set, options);
    StopBuild(set, options);
    CHECK(CheckFinished(set, options, clean) > 0);
  }
}

TEST_CASE("a part of an index is taken up too") {
  BuiltSet set;
  WithShards(set);
  BuildOptions options = PartOptions(set);
  options.part = PartChoice{.part = 1, .of = 2};
  options.force = true;
  const std::string path = set.Build(options).index;
  const std::string clean = ReadFile(path);
  fs::remove(path);
  options.save_after = std::chrono::milliseconds(0);
  const std::string saved = SavedShards::PathFor(path);
  uint64_t resumed = 0;
  for (int tries = 0; tries < 1000 && resumed == 0; ++tries) {
    const pid_t child = StartChild([&] {
      Progress progress;
      return BuildIndex(options, progress) ? 0 : 1;
    });
    while (!HasSaved(saved, 100) && !HasEnded(child)) {
    }
    ::kill(child, SIGKILL);
    static_cast<void>(WaitForChild(child));
    resumed = set.Build(options).resumed_records;
    CHECK(ReadFile(path) == clean);
    CHECK(FilesIn(set.folder()) == std::set<std::string>{"train", fs::path(path).filename()});
    fs::remove(path);
  }
  CHECK(resumed > 0);
}

TEST_CASE("what was saved with other options is not used") {
  BuiltSet set;
  WithShards(set);
  const BuildOptions options = set.Options();
  std::vector<BuildOptions> others(5, options);
  others[0].verify = true;
  others[1].format.payload = PayloadKind::kExample;
  others[2].columns = ColumnChoice{.mode = ColumnChoice::Mode::kNone, .names = {}};
  others[3].segment_bytes = 2048;
  others[4].inflate.checkpoint_bytes = 1 << 20;
  for (const BuildOptions& other : others) {
    const BuiltBytes clean = CleanBytes(set, other);
    StopBuild(set, options);
    CHECK(CheckFinished(set, other, clean) == 0);
  }
}

TEST_CASE("a shard that was changed, has grown or was renamed since is scanned again, the others are not") {
  BuiltSet set;
  WithShards(set);
  const BuildOptions options = set.Options();
  StopBuild(set, options, 5000);
  std::string bytes = ReadFile(set.Shard("part-1"));
  SUBCASE("rewritten in place, with the same size and mtime") {
    bytes[bytes.size() / 2] ^= 1;
    WriteFile(set.Shard("part-1"), bytes);
    SetMtime(set.Shard("part-1"), kMtime);
  }
  SUBCASE("grown") { AppendTo(set.Shard("part-1"), ShardBytes(kTf, SomePayloads(5, 20))); }
  SUBCASE("replaced") {
    ReplaceFile(set.Shard("part-1"), ShardBytes(kTf, SomePayloads(50, 20)));
    SetMtime(set.Shard("part-1"), kMtime);
  }
  SUBCASE("renamed, so that all shards have other numbers") { fs::rename(set.Shard("part-1"), set.Shard("a-0")); }
  SUBCASE("removed") { fs::remove(set.Shard("part-1")); }
  SUBCASE("another shard before all others") { set.Put("a-0", ShardBytes(kTf, SomePayloads(50, 20))); }
  const uint64_t resumed = set.Build(Saving(options)).resumed_records;
  const BuiltBytes found(set);
  CHECK(resumed > 0);
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
  fs::remove(set.index());
  fs::remove(set.map());
  CHECK(found == CleanBytes(set, options));
}

TEST_CASE("a saved file with a flipped bit, or cut anywhere, gives the bytes of a clean build") {
  BuiltSet set;
  set.PutSome();
  set.Put("part-3", ShardBytes(kTf, SomePayloads(20, 40)) + "gap" + ShardBytes(kTf, SomePayloads(20, 40)));
  PutLongShard(set);
  const BuildOptions options = set.Options(true);
  const BuiltBytes clean = CleanBytes(set, options);
  StopBuild(set, options, 1000);
  const std::string saved = ReadFile(SavedPath(set));
  std::mt19937_64 random(7);
  const uint64_t all = CheckFinished(set, options, clean);
  CHECK(all > 0);
  for (uint64_t i = 0; i < 90; ++i) {
    const uint64_t at = i < 60 ? i : random() % saved.size();
    CAPTURE(at);
    // The first bytes are those of a shard that was finished; the last may be of one that was not.
    const uint64_t most = i < 60 ? all - 1 : all;
    WriteFile(SavedPath(set), WithFlippedBit(saved, at, static_cast<int>(random() % 8)));
    CHECK(CheckFinished(set, options, clean) <= most);
    WriteFile(SavedPath(set), saved.substr(0, at));
    CHECK(CheckFinished(set, options, clean) <= most);
  }
  // Blocks that a power failure has turned into zeros.
  std::string zeros = saved;
  std::fill(zeros.begin() + 100, zeros.begin() + 400, '\0');
  WriteFile(SavedPath(set), zeros);
  Progress progress;
  REQUIRE(BuildIndex(Saving(options), progress).has_value());
  CHECK(BuiltBytes(set) == clean);
  CHECK(progress.bytes_done == progress.bytes_total);
  CHECK(progress.shards_done == progress.shards_total);
}

TEST_CASE("a file of another version under that name is removed") {
  BuiltSet set;
  WithShards(set);
  const BuiltBytes clean = CleanBytes(set, set.Options());
  for (const char* bytes : {"", "ofindex saved 0\nand more", "not ours"}) {
    WriteFile(SavedPath(set), bytes);
    CHECK(CheckFinished(set, set.Options(), clean) == 0);
  }
}

TEST_CASE("what no build can have left under that name is kept, and nothing is saved") {
  BuiltSet set;
  WithShards(set);
  const BuiltBytes clean = CleanBytes(set, set.Options());
  const std::string mine = set.folder() + "/mine";
  std::set<std::string> kept = kBuiltFiles;
  kept.insert(fs::path(SavedPath(set)).filename());
  SUBCASE("a folder") { fs::create_directory(SavedPath(set)); }
  SUBCASE("a FIFO") { REQUIRE(::mkfifo(SavedPath(set).c_str(), 0600) == 0); }
  SUBCASE("a link") {
    WriteFile(mine, "mine");
    fs::create_symlink(mine, SavedPath(set));
    kept.insert("mine");
  }
  SUBCASE("a file with two names") {
    WriteFile(mine, "mine");
    fs::create_hard_link(mine, SavedPath(set));
    kept.insert("mine");
  }
  set.Build(Saving(set.Options()));
  CHECK(BuiltBytes(set) == clean);
  CHECK(FilesIn(set.folder()) == kept);
  set.Build(Saving(set.Options()));  // up to date
  CHECK(FilesIn(set.folder()) == kept);
  if (fs::exists(mine)) CHECK(ReadFile(mine) == "mine");
}

TEST_CASE("what was saved is removed if the index is up to date, or if the build fails") {
  BuiltSet set;
  WithShards(set);
  set.Build(set.Options());
  WriteFile(SavedPath(set), "left");
  CHECK(set.Build(set.Options()).was_up_to_date);
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
  BuildOptions options = Saving(set.Options());
  options.force = true;
  options.columns = ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"lable"}};
  Progress progress;
  CHECK_FALSE(BuildIndex(options, progress).has_value());
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
}

TEST_CASE("a build that is short, or of one shard, saves nothing") {
  BuiltSet set;
  PutLongShard(set);
  set.Build(Saving(set.Options()));
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
}

/// Returns the number of kills: OFINDEX_KILLS, 10 by default.
uint64_t Kills() {
  const char* const given = std::getenv("OFINDEX_KILLS");
  return given == nullptr ? 10 : std::strtoull(given, nullptr, 10);
}

/// A Progress that a child process counts in and this process sees.
class SharedProgress {
 public:
  SharedProgress()
      : memory_(::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
    progress_ = new (memory_) Progress;
  }
  ~SharedProgress() { ::munmap(memory_, sizeof(Progress)); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  [[nodiscard]] Progress& operator*() { return *progress_; }
  [[nodiscard]] uint64_t scanned() const { return progress_->records_done - progress_->records_resumed; }

 private:
  void* memory_;
  Progress* progress_ = nullptr;
};

TEST_CASE("a build killed once per 10 shards scans at most 1.1 times the records of a clean one") {
  // Compressed, so that a shard takes some milliseconds: longer than a thread waits for a processor.
  constexpr uint64_t kRecords = 10'000;
  const uint64_t kills = Kills();
  const uint64_t shards = 10 * kills;
  BuiltSet set;
  std::mt19937_64 random(3);
  std::vector<std::string> bytes(10);
  for (uint64_t i = 0; i < bytes.size() * kRecords; ++i) {
    bytes[i / kRecords] += RecordBytes(kTf, RandomMessage(kTf, i, random));
  }
  for (std::string& each : bytes) each = Compressed(Compression::kGzip, each);
  for (uint64_t shard = 0; shard < shards; ++shard) set.Put("part-" + std::to_string(shard), bytes[shard % 10]);
  BuildOptions options = set.Options();
  options.threads = 1;
  const BuiltBytes clean = CleanBytes(set, options);
  options = Saving(options);
  uint64_t scanned = 0;
  uint64_t killed = 0;
  for (uint64_t kill = 0; kill < kills; ++kill) {
    SharedProgress progress;
    const pid_t child = StartChild([&] { return BuildIndex(options, *progress) ? 0 : 1; });
    // 8 shards in the mean, so that the last kill comes when most are done.
    const uint64_t target = random() % (16 * kRecords);
    while (progress.scanned() < target && !HasEnded(child)) std::this_thread::sleep_for(std::chrono::microseconds(100));
    ::kill(child, SIGKILL);
    killed += WaitForChild(child) == -SIGKILL ? 1U : 0U;
    scanned += progress.scanned();
    CHECK_FALSE(fs::exists(set.index()));
  }
  Progress progress;
  const auto report = BuildIndex(options, progress);
  REQUIRE(report.has_value());
  scanned += progress.records_done - progress.records_resumed;
  MESSAGE("killed ", killed, " times; scanned ", scanned, " records of ", shards * kRecords,
          "; the last build took up ", report->resumed_records);
  CHECK(killed == kills);
  CHECK(BuiltBytes(set) == clean);
  CHECK(FilesIn(set.folder()) == kBuiltFiles);
  // Few kills are few samples, on a machine that may be busy; without saving, it would be 1.8 times.
  CHECK(scanned <= shards * kRecords * (kills >= 100 ? 11 : 16) / 10);
}

}  // namespace
}  // namespace ofindex
