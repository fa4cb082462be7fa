#include "index/verify/verifier.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/index/built_set.h"
#include "tests/support/child_process.h"

namespace ofindex {
namespace {

namespace fs = std::filesystem;

VerifyReport Verify(const BuiltSet& set, bool quick = false, unsigned threads = 2) {
  Progress progress;
  Result<VerifyReport> report =
      VerifyDataset({.index = set.index(), .root = {}, .quick = quick, .threads = threads}, progress);
  REQUIRE_MESSAGE(report.has_value(), report.error().message);
  return std::move(*report);
}

TEST_CASE("verify finds nothing in an unchanged dataset, and checks every byte") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    BuiltSet set(framing);
    set.PutSome();
    const BuildReport built = set.Build(set.Options(true));
    for (const unsigned threads : {1U, 2U, 5U}) {
      const VerifyReport report = Verify(set, false, threads);
      CHECK(report.clean());
      CHECK(report.all_payloads_checked);
      CHECK(report.records_checked == 70);
      CHECK(report.bytes_checked == built.facts.data_bytes);
      CHECK(report.empty_of_records == (framing == Framing::kOfRecord ? 2 : 0));
    }
    const VerifyReport quick = Verify(set, true);
    CHECK(quick.clean());
    CHECK(quick.records_checked == 0);
    CHECK(!quick.all_payloads_checked);
    CHECK(!quick.lacks_checksums);
  }
}

TEST_CASE("without hashes, OFRecord payloads are not checked, and the report says so") {
  BuiltSet set(Framing::kOfRecord);
  set.PutSome();
  set.Build(set.Options(false));
  const VerifyReport report = Verify(set);
  CHECK(report.clean());
  CHECK(!report.all_payloads_checked);
  CHECK(report.lacks_checksums);
}

TEST_CASE("changes to a shard after the build are reported") {
  struct Row {
    std::string what;
    std::function<void(const BuiltSet&)> spoil;  // modifies part-0, a shard of 40 records
    size_t stale;
    size_t bad;
    uint64_t records_checked;
  };
  const std::string path = "part-0";
  const std::vector<Row> rows = {
      {"nothing", [](const BuiltSet&) {}, 0, 0, 70},
      {"touched", [&](const BuiltSet& set) { SetMtime(set.Shard(path), 5); }, 0, 0, 70},
      {"copied", [&](const BuiltSet& set) { ReplaceFile(set.Shard(path), ReadFile(set.Shard(path))); }, 0, 0, 70},
      {"gone", [&](const BuiltSet& set) { fs::remove(set.Shard(path)); }, 1, 0, 30},
      {"a folder", [&](const BuiltSet& set) { fs::remove(set.Shard(path)), fs::create_directory(set.Shard(path)); }, 1,
       0, 30},
      {"one byte more", [&](const BuiltSet& set) { AppendTo(set.Shard(path), "x"); }, 1, 0, 30},
      {"one byte less", [&](const BuiltSet& set) { TruncateTo(set.Shard(path), fs::file_size(set.Shard(path)) - 1); },
       1, 0, 30},
      {"empty", [&](const BuiltSet& set) { TruncateTo(set.Shard(path), 0); }, 1, 0, 30},
      {"the empty shard has grown", [](const BuiltSet& set) { AppendTo(set.Shard("part-2"), "x"); }, 1, 0, 70},
      {"another file of equal size",
       [&](const BuiltSet& set) { ReplaceFile(set.Shard(path), std::string(fs::file_size(set.Shard(path)), 'x')); }, 1,
       40, 70},
      {"zeros",
       [&](const BuiltSet& set) { ReplaceFile(set.Shard(path), std::string(fs::file_size(set.Shard(path)), '\0')); }, 1,
       40, 70},
      {"a payload changed", [&](const BuiltSet& set) { FlipBit(set.Shard(path), 16 + 12, 3); }, 1, 1, 70},
      {"a payload changed, but not the time",
       [&](const BuiltSet& set) {
         const fs::file_time_type before = fs::last_write_time(set.Shard(path));
         FlipBit(set.Shard(path), 16 + 12, 3);
         fs::last_write_time(set.Shard(path), before);
       },
       1, 1, 70},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    BuiltSet set;
    set.PutSome();
    set.Build(set.Options(true));
    row.spoil(set);
    const VerifyReport report = Verify(set);
    CHECK(report.stale.size() == row.stale);
    CHECK(report.bad.size() == row.bad);
    CHECK(report.records_checked == row.records_checked);
    CHECK(report.clean() == (row.stale + row.bad == 0));
    CHECK(report.all_payloads_checked == (row.records_checked == 70));
    // Fingerprints alone find as many stale shards: these are small, and hashed whole.
    const VerifyReport quick = Verify(set, true);
    CHECK(quick.stale.size() == row.stale);
    CHECK(quick.bad.empty());
    CHECK(!quick.all_payloads_checked);
  }
}

TEST_CASE("a finding names the record, the shard, the byte and the fault") {
  struct Row {
    Framing framing;
    uint64_t at;  // offset in the record
    RecordFault fault;
  };
  const std::vector<Row> rows = {
      {Framing::kTfRecord, 0, RecordFault::kLength},       // its length
      {Framing::kTfRecord, 8, RecordFault::kLengthCrc},    // the length's checksum
      {Framing::kTfRecord, 12, RecordFault::kPayloadCrc},  // its first payload byte
      {Framing::kOfRecord, 7, RecordFault::kLength},       // its length
      {Framing::kOfRecord, 8, RecordFault::kPayloadHash},  // its first payload byte
  };
  const std::vector<std::string> payloads = SomePayloads(30, 90, 2);
  for (const Row& row : rows) {
    BuiltSet set(row.framing);
    set.PutSome();
    set.Build(set.Options(true));
    const uint64_t begin = RecordBoundaries(row.framing, payloads)[7];
    FlipBit(set.Shard("part-10"), begin + row.at, 0);
    const VerifyReport report = Verify(set);
    REQUIRE(report.bad.size() == 1);
    CHECK(report.bad[0].record == 47);
    CHECK(report.bad[0].shard == 2);
    CHECK(report.bad[0].offset == begin);
    CHECK(report.bad[0].fault == row.fault);
    REQUIRE(report.stale.size() == 1);
    CHECK(report.stale[0].shard == 2);
  }
}

TEST_CASE("a flip anywhere in a large shard is found, and attributed to its record") {
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const std::vector<std::string> payloads = SomePayloads(2000, 300);
    const std::vector<uint64_t> boundaries = RecordBoundaries(framing, payloads);
    BuiltSet set(framing);
    set.Put("part-0", ShardBytes(framing, payloads));
    set.Build(set.Options(true));
    std::mt19937_64 random(3);
    for (int i = 0; i < 25; ++i) {
      const uint64_t at = random() % boundaries.back();
      const int bit = static_cast<int>(random() % 8);
      FlipBit(set.Shard("part-0"), at, bit);
      const VerifyReport report = Verify(set);
      REQUIRE(report.bad.size() == 1);
      const uint64_t record = report.bad[0].record;
      CHECK((boundaries[record] <= at && at < boundaries[record + 1]));
      FlipBit(set.Shard("part-0"), at, bit);
    }
    CHECK(Verify(set).clean());
  }
}

TEST_CASE("damage and bad records found by the build are found again") {
  BuiltSet set;
  std::string shard = ShardBytes(Framing::kTfRecord, SomePayloads(10, 50));
  const uint64_t size = shard.size();
  shard[size - 1] ^= 1;
  set.Put("part-0", shard + "torn");
  const BuildReport built = set.Build(set.Options(true));
  REQUIRE(built.bad.size() == 1);
  const VerifyReport report = Verify(set);
  CHECK(report.stale.empty());
  REQUIRE(report.bad.size() == 1);
  CHECK(report.bad[0].record == 9);
  CHECK(report.bad[0].fault == RecordFault::kPayloadCrc);
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].range == DamagedRange{size, size + 4, DamageReason::kTornTail});
  CHECK(!report.clean());
}

// Verifies while another thread truncates the shard in the middle as soon as part of it was read.
Result<VerifyReport> VerifyWhileCut(const BuiltSet& set, const std::string& shard) {
  Progress progress;
  std::atomic<bool> over{false};
  std::jthread cutting([&] {
    while (progress.records_done == 0 && !over) std::this_thread::yield();
    TruncateTo(set.Shard(shard), fs::file_size(set.Shard(shard)) / 2);
  });
  auto report = VerifyDataset({.index = set.index(), .root = {}, .quick = false, .threads = 2}, progress);
  over = true;
  return report;
}

TEST_CASE("a shard that is truncated while it is read is stale, and the other shards are read to the end") {
  BuiltSet set(Framing::kOfRecord);
  const std::string bytes = ShardBytes(Framing::kOfRecord, std::vector<std::string>(1'000'000, "x"));
  set.Put("part-0", bytes);
  set.Put("part-1", ShardBytes(Framing::kOfRecord, SomePayloads(30, 90)));
  set.Build(set.Options(true));
  // If the other thread comes too late, this tries again.
  uint64_t cut_in_time = 0;
  for (int attempt = 0; attempt < 50 && cut_in_time < 3; ++attempt) {
    set.Put("part-0", bytes);
    const Result<VerifyReport> report = VerifyWhileCut(set, "part-0");
    REQUIRE_MESSAGE(report.has_value(), report.error().message);
    CHECK(report->bad.empty());
    if (report->stale.empty()) continue;
    ++cut_in_time;
    REQUIRE(report->stale.size() == 1);
    CHECK(report->stale[0].shard == 0);
    CHECK(report->stale[0].reason.find("the file ends inside a record") != std::string::npos);
    CHECK(report->records_checked >= 30);
    CHECK(report->records_checked < 1'000'030);
  }
  CHECK(cut_in_time > 0);
}

constexpr int kFailed = 100;
constexpr int kNoReport = -1;

// Returns the number of stale shards, or kFailed if one could not be read, for a user who is not the files' owner.
int StaleForSomebodyElse(const BuiltSet& set) {
  return RunInChild([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return kNoReport;
    Progress progress;
    const auto report = VerifyDataset({.index = set.index(), .root = {}, .threads = 1}, progress);
    if (!report) return kNoReport;
    return report->failed.empty() ? static_cast<int>(report->stale.size()) : kFailed;
  });
}

TEST_CASE("an unreadable shard counts as failed, not as stale, whatever the cause") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options(true));
  fs::permissions(set.folder(), fs::perms(0755));
  REQUIRE(StaleForSomebodyElse(set) == 0);
  fs::permissions(set.Shard("part-10"), fs::perms::none);
  CHECK(StaleForSomebodyElse(set) == kFailed);
  fs::permissions(set.Shard("part-10"), fs::perms(0644));
  fs::permissions(set.data(), fs::perms::none);
  CHECK(StaleForSomebodyElse(set) == kFailed);
  fs::permissions(set.data(), fs::perms(0755));
  fs::remove(set.Shard("part-10"));
  CHECK(StaleForSomebodyElse(set) == 1);
}

TEST_CASE("without a free descriptor for a shard, verifying fails with an error that says so") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options(true));
  CHECK(RunInChild([&] {
          // Leaves room for one more descriptor, which the index takes.
          const int next = ::dup(0);
          const rlimit limit{.rlim_cur = static_cast<rlim_t>(next) + 1, .rlim_max = static_cast<rlim_t>(next) + 1};
          if (next < 0 || ::close(next) != 0 || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
          Progress progress;
          const auto report = VerifyDataset({.index = set.index(), .root = {}, .threads = 1}, progress);
          if (report || report.error().code != ErrorCode::kIo) return 2;
          return report.error().message.ends_with("part-0: cannot open: Too many open files") ? 0 : 3;
        }) == 0);
}

TEST_CASE("a copy of a dataset is verified at a given root, even if the original is gone") {
  BuiltSet set;
  set.PutSome();
  set.Build(set.Options(true));
  const TempDir other;
  fs::copy(set.data(), other / "copy", fs::copy_options::recursive);
  fs::remove_all(set.data());
  Progress progress;
  const auto copy = VerifyDataset({.index = set.index(), .root = other / "copy"}, progress);
  REQUIRE(copy.has_value());
  CHECK(copy->clean());
  CHECK(copy->records_checked == 70);
  CHECK(Verify(set).stale.size() == 3);
}

TEST_CASE("verifying a missing index is an error, and so is a cancelled run") {
  BuiltSet set;
  set.PutSome();
  Progress progress;
  CHECK(VerifyDataset({.index = set.index(), .root = {}}, progress).error().code == ErrorCode::kNotFound);
  set.Build(set.Options(true));
  progress.cancel = true;
  CHECK(VerifyDataset({.index = set.index(), .root = {}}, progress).error().code == ErrorCode::kInterrupted);
}

TEST_CASE("files that are stale, failed, not indexed and unreadable are listed together, each with its reason") {
  VerifyReport report;
  CHECK(StaleFiles(report).empty());
  report.shards.resize(3);
  for (size_t i = 0; i < 3; ++i) report.shards[i].path = "abc"[i];
  report.stale = {{2, "changed"}};
  report.failed = {{0, "cannot read"}};
  report.unindexed = {"new"};
  report.unreadable.push_back({.path = "locked", .reason = "no permission"});
  std::string listed;
  for (const StaleFile& file : StaleFiles(report)) listed += file.path + ": " + file.reason + "\n";
  CHECK(listed == std::string("c: changed\na: cannot read\nnew: ") + kNotInIndex + "\nlocked: no permission\n");
}

}  // namespace
}  // namespace ofindex
