#include "index/walk/walk_range.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "index/walk/resync.h"
#include "tests/index/random_shards.h"
#include "tests/index/walking.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kRangeSegment = 64 << 10;

// A range of a shard, walked by itself.
struct Part {
  WalkedShard shard;
  WalkedRange walked;
};

Part WalkPart(const File& file, uint64_t size, const WalkRange& range) {
  const Progress progress;
  const FileBytes bytes(file, size);
  ShardWalker walker(bytes, kTf, progress, kRangeSegment);
  walker.Enter(range);
  WalkedShard shard = WalkToEnd(walker);
  return {std::move(shard), walker.walked()};
}

// Walks a shard in `ranges`, the last of which ends past it. Walks a range once more if the first walk of it did not
// begin where the walk of the bytes before it ended. Adds to `again` how many these were.
WalkedShard WalkInParts(const File& file, uint64_t size, const std::vector<WalkRange>& ranges, size_t& again) {
  WalkedShard whole;
  uint64_t position = 0;
  for (const WalkRange& range : ranges) {
    Part part = WalkPart(file, size, range);
    if (position >= std::min(range.end, size)) continue;
    if (part.walked.first != position) {
      ++again;
      part = WalkPart(file, size, {.begin = range.begin, .end = range.end, .entry = WalkEntry{.position = position}});
    }
    CHECK(part.walked.first == position);
    position = part.walked.next;
    for (auto& block : part.shard.blocks) whole.blocks.push_back(std::move(block));
    for (const DamagedRange& damage : part.shard.damage) whole.damage.push_back(damage);
  }
  CHECK(position == size);
  return whole;
}

std::vector<WalkRange> RandomRanges(uint64_t size, std::mt19937_64& random) {
  std::vector<WalkRange> ranges = {{}};
  for (uint64_t at = kRangeSegment; at < size; at += kRangeSegment) {
    if (random() % 3 != 0) continue;
    ranges.back().end = at;
    ranges.push_back({.begin = at});
  }
  return ranges;
}

TEST_CASE("large TFRecord shards have 8 to 16 segments, or more if they would exceed 16 GiB") {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  struct Row {
    uint64_t size;
    uint64_t segment;
  };
  for (const Row& row : std::vector<Row>{{0, kNowhere},
                                         {256 * kMiB - 1, kNowhere},
                                         {256 * kMiB, 16 * kMiB},
                                         {256 * kMiB + 16, 32 * kMiB},
                                         {kGiB, 64 * kMiB},
                                         {100 * kGiB, 8 * kGiB},
                                         {uint64_t{1} << 44, 16 * kGiB}}) {
    CAPTURE(row.size);
    CHECK(SegmentBytes(kTf, row.size) == row.segment);
    CHECK(SegmentBytes(Framing::kOfRecord, row.size) == kNowhere);
  }
}

TEST_CASE("a block ends with the segment in which it begins") {
  const TempDir dir;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::string shard = SmallRecords(random);
    if (seed % 2 == 0) Damage(shard, random);
    WriteFile(dir / "shard", shard);
    const File file = OpenFile(dir / "shard");
    const WalkedShard walked = WalkShard(file, shard.size(), kTf, nullptr, kRangeSegment);
    CHECK(walked.walk() == WalkShard(file, shard.size(), kTf).walk());
    for (const auto& block : walked.blocks)
      CHECK(block[block.size() - 2] < (block[0] / kRangeSegment + 1) * kRangeSegment);
  }
}

TEST_CASE("a record that begins where a segment ends belongs to the next one") {
  const TempDir dir;
  constexpr uint64_t kRecords = 24;  // eight in each segment
  std::string shard;
  for (uint64_t i = 0; i < kRecords; ++i) shard += RecordBytes(kTf, std::string(kRangeSegment / 8 - 16, 'x'));
  REQUIRE(shard.size() == 3 * kRangeSegment);
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  const WalkedShard walked = WalkShard(file, shard.size(), kTf, nullptr, kRangeSegment);
  REQUIRE(walked.blocks.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(walked.blocks[i].front() == i * kRangeSegment);
    CHECK(walked.blocks[i].back() == (i + 1) * kRangeSegment);
  }
}

TEST_CASE("a shard walked in parts has the blocks and the damage of one walk") {
  const TempDir dir;
  size_t again = 0;
  size_t parts = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::string shard = SmallRecords(random);
    if (seed % 3 != 0) Damage(shard, random);
    WriteFile(dir / "shard", shard);
    const File file = OpenFile(dir / "shard");
    const WalkedShard at_once = WalkShard(file, shard.size(), kTf, nullptr, kRangeSegment);
    const std::vector<WalkRange> ranges = RandomRanges(shard.size(), random);
    parts += ranges.size();
    const WalkedShard whole = WalkInParts(file, shard.size(), ranges, again);
    CHECK(whole.blocks == at_once.blocks);
    CHECK(whole.damage == at_once.damage);
  }
  CHECK(again > 0);
  CHECK(again < parts / 4);
}

TEST_CASE("a range in which no record begins is left at once") {
  const std::string shard = RecordBytes(kTf, "a") + RecordBytes(kTf, std::string(3 * kRangeSegment, 'x'));
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  const Part part = WalkPart(file, shard.size(), {.begin = kRangeSegment, .end = 2 * kRangeSegment});
  CHECK(part.shard.blocks.empty());
  CHECK(part.shard.damage.empty());
  CHECK(part.walked.first == kNowhere);
  const Part past = WalkPart(file, shard.size(), {.begin = 100 * kRangeSegment, .end = 200 * kRangeSegment});
  CHECK(past.shard.blocks.empty());
  CHECK(past.walked.first == kNowhere);
}

TEST_CASE("a walk tells how many bytes it has read to find records after gaps") {
  const std::string sound = RecordBytes(kTf, std::string(100, 'p'));
  const TempDir dir;
  WriteFile(dir / "shard", sound + "gap" + sound);
  const File file = OpenFile(dir / "shard");
  const uint64_t size = 2 * sound.size() + 3;
  CHECK(WalkPart(file, size, {}).walked.tested >= 100);
  CHECK(WalkPart(file, sound.size(), {}).walked.tested == 0);
}

TEST_CASE("a range walked after others have used up the budget ends at its first gap") {
  const std::string sound = RecordBytes(kTf, std::string(100, 'p'));
  const TempDir dir;
  WriteFile(dir / "shard", sound + "gap" + sound);
  const File file = OpenFile(dir / "shard");
  const uint64_t size = 2 * sound.size() + 3;
  const uint64_t budget = ResyncBudget(size);
  for (const uint64_t tested : {budget, budget + 1, budget - 1}) {
    CAPTURE(tested);
    const Part part =
        WalkPart(file, size, {.begin = 1, .entry = WalkEntry{.position = sound.size(), .tested = tested}});
    REQUIRE(part.shard.damage.size() == 1);
    CHECK(part.shard.damage[0].reason == DamageReason::kResyncLimit);
    CHECK(part.walked.next == size);
  }
}

}  // namespace
}  // namespace ofindex
