#include "index/walk/resync.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/index/walk/read_bytes.h"
#include "tests/index/walking.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// A record whose length checksum is wrong: records inside its payload cannot be told from real ones.
std::string Headless(const std::string& payload) {
  return Le64(payload.size()) + Le32(0) + payload + Le32(SlowMaskedCrc32c(payload));
}

TEST_CASE("headers inside a payload are ignored while the headers of the records are sound") {
  struct Row {
    std::string what;
    std::string payload;
  };
  const std::vector<Row> rows = {
      {"a header with a right checksum", HeaderOf(kTf, 7)},
      {"whole records", RecordBytes(kTf, "one") + RecordBytes(kTf, "two")},
      {"a record of records", RecordBytes(kTf, RecordBytes(kTf, "inner"))},
      {"a header that claims more than the file", HeaderOf(kTf, 1000)},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const std::string one = RecordBytes(kTf, row.payload);
    const Walk walk = WalkBytes(dir / "shard", kTf, one + one + one);
    REQUIRE(walk.records.size() == 3);
    CHECK(walk.records[1] == Walk::Extent{one.size(), 2 * one.size()});
    CHECK(walk.damage.empty());
  }
}

TEST_CASE("a header in a gap is skipped, unless it begins a whole record") {
  struct Row {
    std::string what;
    std::string payload;  // of a record with a damaged length
    size_t found;         // records taken from inside it
  };
  const std::string bad_footer = HeaderOf(kTf, 3) + "one" + Le32(1);
  const std::vector<Row> rows = {
      {"nothing that looks like a header", std::string(100, 'a'), 0},
      {"a header of a record with a wrong payload checksum", bad_footer, 0},
      {"a header of an empty record", HeaderOf(kTf, 0) + "....", 0},
      {"a header of a record that reaches into the next one", HeaderOf(kTf, 8), 0},
      {"a header of a record that reaches past the end of the file", HeaderOf(kTf, 1 << 20), 0},
      {"a header every twelve bytes", Repeated(50, HeaderOf(kTf, 1)), 0},
      // A whole record in a payload cannot be told from a real one. Even so, no record is lost, and no record is called
      // sound if it is not.
      {"two whole records", RecordBytes(kTf, "one") + RecordBytes(kTf, "two"), 2},
  };
  const std::string sound = RecordBytes(kTf, "sound");
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const std::string shard = sound + Headless(row.payload) + sound;
    const Walk walk = WalkBytes(dir / "shard", kTf, shard);
    CHECK(walk == ReferenceWalk::Of(kTf, shard));
    REQUIRE(walk.records.size() == 2 + row.found);
    CHECK(walk.records.back() == Walk::Extent{shard.size() - sound.size(), shard.size()});
  }
}

TEST_CASE("a record is found at any distance after a gap, across the edges of the read buffer") {
  const std::string sound = RecordBytes(kTf, "sound");
  const TempDir dir;
  for (const size_t edge : {size_t{4} << 10, size_t{8} << 10, size_t{12} << 10, size_t{256} << 10, size_t{1} << 20}) {
    for (size_t gap = edge - 20; gap <= edge + 4; ++gap) {
      const std::string shard = sound + std::string(gap, 'x') + sound;
      const Walk walk = WalkBytes(dir / "shard", kTf, shard);
      CAPTURE(gap);
      CHECK(walk.records.size() == 2);
      CHECK(walk.damage == std::vector<DamagedRange>{{21, 21 + gap, DamageReason::kBadLengthCrc}});
    }
  }
}

TEST_CASE("a large record after a gap is found by the checksum of all its bytes") {
  std::string payload(700 << 10, 'p');
  const TempDir dir;
  const std::string sound = "gap" + RecordBytes(kTf, payload);
  CHECK(WalkBytes(dir / "shard", kTf, sound).records.size() == 1);
  std::string damaged = sound;
  damaged[600 << 10] ^= 1;
  const Walk walk = WalkBytes(dir / "shard", kTf, damaged);
  CHECK(walk.records.empty());
  CHECK(walk.damage == std::vector<DamagedRange>{{0, damaged.size(), DamageReason::kBadLengthCrc}});
}

TEST_CASE("FindHeader finds the first header in its range, and no header outside it") {
  const std::string shard = "12345" + HeaderOf(kTf, 3) + "one" + Le32(0) + RecordBytes(kTf, "two");
  const TempDir dir;
  WriteFile(dir / "shard", shard);
  const File file = OpenFile(dir / "shard");
  struct Row {
    uint64_t begin;
    uint64_t end;
    uint64_t size;
    std::optional<uint64_t> found;
  };
  const std::vector<Row> rows = {
      {0, shard.size(), shard.size(), 5},                        // the first of two
      {5, 6, shard.size(), 5},                                   // exactly at the position
      {6, shard.size(), shard.size(), 24},                       // the next one
      {0, 5, shard.size(), std::nullopt},                        // the range ends before it
      {0, 24, 23, std::nullopt},                                 // its record ends past the size given
      {25, shard.size(), shard.size(), std::nullopt},            // after the last
      {shard.size(), shard.size(), shard.size(), std::nullopt},  // nothing left
  };
  for (const Row& row : rows) {
    CAPTURE(row.begin);
    CAPTURE(row.end);
    const FileBytes bytes(file, row.size);
    const auto found = RecordSearch(bytes, row.size).FindHeader(row.begin, row.end);
    REQUIRE(found.has_value());
    CHECK(found->has_value() == row.found.has_value());
    if (row.found && *found) CHECK((*found)->begin == *row.found);
  }
}

TEST_CASE("a search gives up when its budget is used up, and reports it") {
  // Two false headers of 50 bytes each, followed by a sound record.
  const std::string false_one = HeaderOf(kTf, 50) + std::string(50, 'x') + Le32(0);
  const TempDir dir;
  WriteFile(dir / "shard", false_one + false_one + RecordBytes(kTf, "sound"));
  const File file = OpenFile(dir / "shard");
  const uint64_t size = 2 * false_one.size() + 21;
  const FileBytes bytes(file, size);
  uint64_t enough = 1 << 20;
  const Result<RecordSearch::Outcome> found = RecordSearch(bytes, size).FindRecord(0, size, enough);
  REQUIRE(found.has_value());
  CHECK(found->found == 2 * false_one.size());
  CHECK(!found->gave_up);
  uint64_t too_little = 60;
  const Result<RecordSearch::Outcome> given_up = RecordSearch(bytes, size).FindRecord(0, size, too_little);
  REQUIRE(given_up.has_value());
  CHECK(!given_up->found);
  CHECK(given_up->gave_up);
}

TEST_CASE("a walk reads a hostile shard a bounded number of times") {
  struct Row {
    std::string what;
    Framing framing;
    std::string piece;  // repeated to make the shard
    DamageReason last;
  };
  const std::vector<Row> rows = {
      {"a false header every 12 bytes, each claiming half the file", kTf, HeaderOf(kTf, 1 << 20),
       DamageReason::kResyncLimit},
      {"false headers of empty records", kTf, HeaderOf(kTf, 0), DamageReason::kBadLengthCrc},
      {"false headers of short records", kTf, HeaderOf(kTf, 5), DamageReason::kBadLengthCrc},
      {"no header anywhere", kTf, "0123456789ab", DamageReason::kBadLengthCrc},
      {"a gap before every record", kTf, "x" + RecordBytes(kTf, ""), DamageReason::kTornTail},
      {"zeros before every record", kTf, std::string(13, '\0') + RecordBytes(kTf, ""), DamageReason::kTornTail},
      {"an empty record before every one-byte record", Framing::kOfRecord,
       Le64(0) + RecordBytes(Framing::kOfRecord, "x"), DamageReason::kTornTail},
      {"runs of empty records", Framing::kOfRecord, std::string(800, '\0') + RecordBytes(Framing::kOfRecord, "x"),
       DamageReason::kTornTail},
  };
  constexpr uint64_t kBytes = 2 << 20;
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    std::string shard = "x";
    if (row.framing == Framing::kOfRecord) shard.clear();
    shard += Repeated(kBytes / row.piece.size(), row.piece) + "torn";
    WriteFile(dir / "shard", shard);
    const File file = OpenFile(dir / "shard");
    const uint64_t before = BytesReadSoFar();
    REQUIRE(before > 0);
    const WalkedShard walked = WalkShard(file, shard.size(), row.framing);
    const uint64_t read = BytesReadSoFar() - before;
    // The walk reads the file once, and the search for records reads it once. Checking runs of zeros and candidate
    // headers reads a bounded number of bytes more: for the headers, 64 MiB plus four times the file.
    CHECK(read < (uint64_t{64} << 20) + 12 * kBytes);
    CHECK(walked.damage.back().reason == row.last);
  }
}

TEST_CASE("a walk gives up after the limit of a million gaps, and keeps the records before them") {
  constexpr size_t kMaxGaps = size_t{1} << 20;
  const std::string piece = "x" + RecordBytes(kTf, "");
  const TempDir dir;
  WriteFile(dir / "shard", Repeated(kMaxGaps + 10, piece));
  const WalkedShard walked = WalkShard(OpenFile(dir / "shard"), (kMaxGaps + 10) * piece.size(), kTf);
  CHECK(walked.blocks.size() == kMaxGaps);
  REQUIRE(walked.damage.size() == kMaxGaps + 1);
  CHECK(walked.damage.back() ==
        DamagedRange{kMaxGaps * piece.size(), (kMaxGaps + 10) * piece.size(), DamageReason::kResyncLimit});
}

}  // namespace
}  // namespace ofindex
