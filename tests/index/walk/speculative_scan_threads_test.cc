#include <doctest/doctest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/threads.h"
#include "index/walk/speculative_scan.h"
#include "tests/index/random_shards.h"
#include "tests/index/walking.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// The smallest segment: with few chains and a file of less than a GiB, every segment has this size.
constexpr uint64_t kSegmentBytes = 4 << 20;
constexpr uint64_t kShardBytes = 40 << 20;
constexpr uint64_t kLarge = 100 << 10;  // size of a large record
constexpr uint64_t kSmall = 1;          // of one so small that segments are as small as possible: 64 KiB

std::string LargeRecords() {
  std::mt19937_64 random(1);
  std::string shard;
  while (shard.size() < kShardBytes) {
    shard += FramedAnyhow(std::string((30 << 10) + random() % (150 << 10), 'p'));
    // A search for the next record can end here.
    if (random() % 4 == 0) shard += RecordBytes(kTf, "sound");
  }
  return shard;
}

WalkedShard WalkSpeculatively(const File& file, uint64_t size, unsigned threads, uint64_t record_bytes,
                              uint64_t segment_bytes = kNowhere) {
  SpeculativeScan scan(file, size, threads, record_bytes);
  std::jthread scan_threads([&] { RunOnThreads(threads, [&](unsigned) { scan.Run(); }); });
  WalkedShard walked = WalkShard(file, size, kTf, &scan, segment_bytes);
  scan.Stop();
  return walked;
}

// Walks the shard alone and with scans ahead on 1 to 8 threads: the results must be equal.
void CheckAllAlike(const std::string& shard, uint64_t record_bytes = kLarge) {
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  const Walk alone = WalkShard(file, shard.size(), kTf).walk();
  CHECK(alone.records.size() > 4);
  for (const unsigned threads : {1U, 2U, 8U}) {
    CAPTURE(threads);
    CHECK(WalkSpeculatively(file, shard.size(), threads, record_bytes).walk() == alone);
  }
}

TEST_CASE("a walk with speculative scans gives the same result as one without") { CheckAllAlike(LargeRecords()); }

TEST_CASE("the result is the same with small records, more per segment than a block holds") {
  const std::string one = FramedAnyhow("a small record");
  std::string shard;
  while (shard.size() < kShardBytes) shard += one;
  CHECK(kSegmentBytes / one.size() > 65'536);
  CheckAllAlike(shard);
}

TEST_CASE("the result is the same for small records with any damage") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::string shard = SmallRecords(random);
    Damage(shard, random);
    CheckAllAlike(shard, seed % 2 == 0 ? kSmall : kLarge / 1000);
  }
}

TEST_CASE("blocks end with the segments of the walk, whatever those of the scan are") {
  const TempDir dir;
  std::mt19937_64 random(1);
  std::string shard = SmallRecords(random);
  Damage(shard, random);
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  for (const uint64_t segment_bytes : {uint64_t{16} << 10, uint64_t{100'000}, uint64_t{256} << 10}) {
    CAPTURE(segment_bytes);
    const WalkedShard alone = WalkShard(file, shard.size(), kTf, nullptr, segment_bytes);
    CHECK(alone.blocks.size() > 4);
    CHECK(WalkSpeculatively(file, shard.size(), 2, kSmall, segment_bytes).blocks == alone.blocks);
  }
}

TEST_CASE("the result is the same with damage in the middle, at a segment's edge, and at the end") {
  std::string shard = LargeRecords();
  for (const uint64_t at : {kSegmentBytes - 7, 5 * kSegmentBytes, 5 * kSegmentBytes + 3, 7 * kSegmentBytes + 100'000}) {
    shard.insert(at, "damage");
  }
  for (uint64_t at = 3 * kSegmentBytes; at < 3 * kSegmentBytes + 300'000; ++at) shard[at] = '\0';
  shard += "torn";
  CheckAllAlike(shard);
}

TEST_CASE("the result is the same if payloads contain whole records, which look like entry points") {
  for (const bool sound : {false, true}) {
    const std::string inner = sound ? RecordBytes(kTf, "inner") : FramedAnyhow("inner") + FramedAnyhow("");
    std::string decoys;
    while (decoys.size() < 90'000) decoys += inner;
    std::string shard;
    while (shard.size() < 3 * kSegmentBytes) shard += FramedAnyhow(decoys);
    // Also with a gap whose end leads into a payload.
    shard.insert(shard.size() / 2, "gap");
    CheckAllAlike(shard);
  }
}

TEST_CASE("the result is the same if a record is larger than a segment") {
  std::string shard;
  for (const uint64_t size :
       {uint64_t{9} << 20, uint64_t{100}, uint64_t{13} << 20, uint64_t{5} << 20, uint64_t{70'000}}) {
    shard += FramedAnyhow(std::string(size, 'x'));
  }
  CheckAllAlike(shard);
}

TEST_CASE("a completed scan gives every record of a sound shard") {
  const std::string shard = LargeRecords();
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  SpeculativeScan scan(file, shard.size(), 1, kLarge);
  scan.Run();
  std::vector<uint64_t> starts;
  uint64_t position = 0;
  while (scan.Take(position, starts, shard.size(), kNowhere)) continue;
  CHECK(position == shard.size());
  const Walk alone = WalkShard(file, shard.size(), kTf).walk();
  REQUIRE(starts.size() == alone.records.size());
  for (size_t i = 0; i < starts.size(); ++i) CHECK(starts[i] == alone.records[i].begin);
}

TEST_CASE("a scan gives nothing for a position at which none of the scanned records begins") {
  const std::string shard = LargeRecords();
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  SpeculativeScan scan(file, shard.size(), 1, kLarge);
  scan.Run();
  for (uint64_t position : {uint64_t{1}, kSegmentBytes, shard.size() - 1, shard.size()}) {
    std::vector<uint64_t> starts = {7};
    const uint64_t before = position;
    CHECK(!scan.Take(position, starts, 100, kNowhere));
    CHECK(position == before);
    CHECK(starts == std::vector<uint64_t>{7});
  }
}

TEST_CASE("a scan gives at most the requested number of records, and the rest in the next call") {
  const std::string shard = LargeRecords();
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  SpeculativeScan scan(file, shard.size(), 1, kLarge);
  scan.Run();
  std::vector<uint64_t> starts;
  uint64_t position = 0;
  REQUIRE(scan.Take(position, starts, 3, kNowhere));
  REQUIRE(starts.size() == 3);
  CHECK(!scan.Take(position, starts, 3, kNowhere));
  REQUIRE(scan.Take(position, starts, 4, kNowhere));
  CHECK(starts.back() == Walk{WalkShard(file, shard.size(), kTf).walk()}.records[3].begin);
}

TEST_CASE("a scan gives no record that begins at or past the given end") {
  const std::string shard = LargeRecords();
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  const Walk alone = WalkShard(file, shard.size(), kTf).walk();
  SpeculativeScan scan(file, shard.size(), 1, kLarge);
  scan.Run();
  for (const uint64_t after : {uint64_t{0}, uint64_t{1}}) {
    std::vector<uint64_t> starts;
    uint64_t position = 0;
    REQUIRE(scan.Take(position, starts, 100, alone.records[7].begin + after));
    CHECK(starts.size() == 7 + after);
    CHECK(position == alone.records[7 + after].begin);
    CHECK(!scan.Take(position, starts, 100, position));
  }
}

TEST_CASE("a scan that never runs does not affect the walk, and a stopped one ends") {
  const std::string shard = LargeRecords();
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  SpeculativeScan idle(file, shard.size(), 4, kLarge);
  CHECK(WalkShard(file, shard.size(), kTf, &idle).walk() == WalkShard(file, shard.size(), kTf).walk());
  SpeculativeScan stopped(file, shard.size(), 4, kLarge);
  stopped.Stop();
  stopped.Run();
  std::vector<uint64_t> starts;
  uint64_t position = 0;
  CHECK(!stopped.Take(position, starts, 100, kNowhere));
}

TEST_CASE("segments cover the shard without gaps or overlaps") {
  const TempDir dir;
  WriteFile(dir / "shard", "x");
  const File file = OpenFile(dir / "shard");
  for (const uint64_t size : {uint64_t{1}, kSegmentBytes, kSegmentBytes + 1, 3 * kSegmentBytes, uint64_t{1} << 40}) {
    const SpeculativeScan scan(file, size, 32, kLarge);
    uint64_t segments = 0;
    for (uint64_t at = 0; at < size; ++segments) {
      const uint64_t end = scan.SegmentEnd(at);
      REQUIRE(end > at);
      CHECK(scan.SegmentEnd(end - 1) == end);
      at = end;
    }
    CHECK(scan.SegmentEnd(size) == size);
    CHECK(segments >= size >> 26);
  }
}

}  // namespace
}  // namespace ofindex
