#include "index/walk/walker.h"

#include <doctest/doctest.h>

#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mmap/offsets/packed_offsets.h"
#include "tests/index/walking.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

/// Returns a header with this `length` and a wrong checksum.
std::string FalseHeader(uint64_t length) { return Le64(length) + Le32(~SlowMaskedCrc32c(Le64(length))); }

std::string Zeros(size_t n) { return std::string(n, '\0'); }
std::string Filler(size_t n) { return std::string(n, '\xab'); }

TEST_CASE("a walk finds the records and the damage of any shard") {
  struct Row {
    std::string what;
    Framing framing;
    std::string shard;
    size_t records;
    std::vector<DamagedRange> damage;
  };
  const std::string tf = RecordBytes(kTf, "hello");   // 21 bytes
  const std::string of = RecordBytes(kOf, "hello");   // 13 bytes
  const std::string tf_empty = RecordBytes(kTf, "");  // 16 bytes
  const std::string of_empty = RecordBytes(kOf, "");  // 8 bytes
  const std::string tf_bad_payload = HeaderOf(kTf, 5) + "hallo" + tf.substr(17);
  using enum DamageReason;
  const std::vector<Row> rows = {
      // Empty: no records, and no damage.
      {"an empty file", kTf, "", 0, {}},
      {"an empty file", kOf, "", 0, {}},
      // Empty records are records if anything follows.
      {"an empty TFRecord alone", kTf, tf_empty, 1, {}},
      {"empty TFRecords to the end", kTf, tf + Repeated(9, tf_empty), 10, {}},
      {"empty OFRecords between others", kOf, of + Repeated(5, of_empty) + of, 7, {}},
      {"zero bytes at the beginning", kOf, Repeated(5, of_empty) + of, 1, {{0, 40, kZeroHead}}},
      // Empty OFRecords up to the end are zeros left by a writer, a hole or fallocate.
      {"an empty OFRecord alone", kOf, of_empty, 0, {{0, 8, kTornTail}}},
      {"empty OFRecords to the end", kOf, of + Repeated(5, of_empty), 1, {{13, 53, kTornTail}}},
      {"empty OFRecords, and one byte more", kOf, of + Repeated(5, of_empty) + "x", 6, {{53, 54, kTornTail}}},
      {"empty OFRecords, and a torn record",
       kOf,
       of + Repeated(5, of_empty) + of.substr(0, 7),
       6,
       {{53, 60, kTornTail}}},
      {"two runs of empty OFRecords, the second to the end",
       kOf,
       of + Repeated(3, of_empty) + of + Repeated(4, of_empty),
       5,
       {{50, 82, kTornTail}}},
      {"zeros, not a multiple of a header", kOf, of + Zeros(21), 1, {{13, 34, kTornTail}}},
      // A TFRecord never begins with zeros.
      {"zeros to the end", kTf, tf + Zeros(40), 1, {{21, 61, kTornTail}}},
      {"nothing but zeros", kTf, Zeros(64), 0, {{0, 64, kTornTail}}},
      {"zeros, fewer than a header", kTf, tf + Zeros(5), 1, {{21, 26, kTornTail}}},
      {"a hole of zeros, and a record after it", kTf, tf + Zeros(50) + tf, 2, {{21, 71, kBadLengthCrc}}},
      {"a hole, and torn bytes after it", kTf, tf + Zeros(50) + tf.substr(0, 9), 1, {{21, 80, kBadLengthCrc}}},
      // Cut off in the header, the payload or the footer.
      {"a torn header", kTf, tf + tf.substr(0, 11), 1, {{21, 32, kTornTail}}},
      {"a torn header", kOf, of + of.substr(0, 7), 1, {{13, 20, kTornTail}}},
      {"a header and nothing more", kTf, tf + tf.substr(0, 12), 1, {{21, 33, kTornTail}}},
      {"a header and nothing more", kOf, of + of.substr(0, 8), 1, {{13, 21, kTornTail}}},
      {"a torn payload", kTf, tf + tf.substr(0, 16), 1, {{21, 37, kTornTail}}},
      {"a torn payload", kOf, of + of.substr(0, 12), 1, {{13, 25, kTornTail}}},
      {"no footer", kTf, tf + tf.substr(0, 17), 1, {{21, 38, kTornTail}}},
      {"a torn footer", kTf, tf + tf.substr(0, 20), 1, {{21, 41, kTornTail}}},
      {"an empty record without its footer", kTf, tf + tf_empty.substr(0, 12), 1, {{21, 33, kTornTail}}},
      // A payload with a wrong checksum: the header is sound, so the record keeps its place.
      {"a wrong payload checksum", kTf, tf + tf_bad_payload + tf, 3, {}},
      // A wrong length checksum: the length is not used, and the walk continues at the next record found, if any.
      {"a wrong length checksum",
       kTf,
       tf + FalseHeader(5) + "hello" + tf.substr(17) + tf,
       2,
       {{21, 42, kBadLengthCrc}}},
      {"the first header is wrong", kTf, FalseHeader(3) + tf, 1, {{0, 12, kBadLengthCrc}}},
      {"the last header is wrong", kTf, tf + FalseHeader(3) + "abc", 1, {{21, 36, kBadLengthCrc}}},
      {"one extra byte between two records", kTf, tf + "x" + tf, 2, {{21, 22, kBadLengthCrc}}},
      {"one byte is missing", kTf, tf + tf.substr(1) + tf, 2, {{21, 41, kBadLengthCrc}}},
      {"two gaps", kTf, tf + "x" + tf + "yz" + tf, 3, {{21, 22, kBadLengthCrc}, {43, 45, kBadLengthCrc}}},
      {"junk after the last record", kTf, tf + Filler(30), 1, {{21, 51, kBadLengthCrc}}},
      {"big-endian lengths", kTf, std::string("\0\0\0\0\0\0\0\5", 8) + tf.substr(8), 0, {{0, 21, kBadLengthCrc}}},
      {"big-endian lengths", kOf, std::string("\0\0\0\0\0\0\0\5", 8) + "hello", 0, {{0, 13, kBadLength}}},
      {"a sound record right after a torn one", kTf, tf.substr(0, 11) + tf, 1, {{0, 11, kBadLengthCrc}}},
      // The search requires both checksums: a record that it finds has a sound payload.
      {"a record with a bad payload after a gap is skipped",
       kTf,
       "x" + tf_bad_payload + tf,
       1,
       {{0, 22, kBadLengthCrc}}},
      {"after a wrong length, OFRecords cannot be found again", kOf, of + Filler(20) + of, 1, {{13, 46, kBadLength}}},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CAPTURE(Name(row.framing));
    const Walk walk = WalkBytes(dir / "shard", row.framing, row.shard);
    CHECK(walk.records.size() == row.records);
    CHECK(walk.damage == row.damage);
    CHECK(walk == ReferenceWalk::Of(row.framing, row.shard));
  }
}

TEST_CASE("a hostile length is damage, not a record, and never wraps around") {
  struct Row {
    uint64_t length;
    size_t records;       // in addition to the sound one before it
    DamageReason reason;  // of the rest
  };
  // A sound record, the hostile header, and 100 bytes of filler.
  const uint64_t remaining_tf = 100 - 4;
  const uint64_t remaining_of = 100;
  using enum DamageReason;
  const std::vector<Row> tf_rows = {
      {0, 1, kBadLengthCrc},                    // an empty record, followed by filler that is not a header
      {1, 1, kBadLengthCrc},                    // a record of one byte
      {remaining_tf, 1, kBadLengthCrc},         // up to the last byte: no damage at all
      {remaining_tf + 1, 0, kTornTail},         // one byte more than there is
      {(uint64_t{1} << 31) - 1, 0, kTornTail},  // the largest protobuf message
      {uint64_t{1} << 31, 0, kTornTail},        // its checksum is correct, so a writer meant it
      {uint64_t{1} << 32, 0, kTornTail},        // 0 in 32 bits
      {(uint64_t{1} << 63) - 1, 0, kTornTail},  // the largest size of a file
      {uint64_t{1} << 63, 0, kBadLength},       // negative as `q`
      {~uint64_t{0} - 15, 0, kBadLength},       // wraps to 0 when the framing is added
      {~uint64_t{0}, 0, kBadLength},            // -1 as `q`
  };
  const std::vector<Row> of_rows = {
      {1, 1, kBadLength},                        // a record of one byte, followed by filler
      {remaining_of, 1, kBadLength},             // up to the last byte: no damage at all
      {remaining_of + 1, 0, kTornTail},          // one byte more than there is
      {(uint64_t{1} << 31) - 1, 0, kTornTail},   // the largest protobuf message
      {uint64_t{1} << 31, 0, kBadLength},        // one byte more: not an OFRecord
      {uint64_t{1} << 32, 0, kBadLength},        // 0 in 32 bits
      {(uint64_t{1} << 63) - 1, 0, kBadLength},  // the largest size of a file
      {uint64_t{1} << 63, 0, kBadLength},        // negative as `q`
      {~uint64_t{0} - 7, 0, kBadLength},         // wraps to 0 when the framing is added
      {~uint64_t{0}, 0, kBadLength},             // -1 as `q`
  };
  const TempDir dir;
  for (const Framing framing : {kTf, kOf}) {
    const std::string before = RecordBytes(framing, "sound");
    for (const Row& row : framing == kTf ? tf_rows : of_rows) {
      CAPTURE(Name(framing));
      CAPTURE(row.length);
      const std::string shard = before + HeaderOf(framing, row.length) + Filler(100);
      const Walk walk = WalkBytes(dir / "shard", framing, shard);
      REQUIRE(walk.records.size() == 1 + row.records);
      const uint64_t end = walk.records.back().end;
      std::vector<DamagedRange> damage;
      if (end != shard.size()) damage.push_back({end, shard.size(), row.reason});
      CHECK(walk.damage == damage);
      CHECK(walk == ReferenceWalk::Of(framing, shard));
    }
  }
}

TEST_CASE("a hostile length with a wrong checksum is not followed") {
  const std::string before = RecordBytes(kTf, "sound");
  const TempDir dir;
  for (const uint64_t length : std::vector<uint64_t>{0, 1, 96, 97, 0x7fffffff, 0x80000000, uint64_t{1} << 32,
                                                     (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}}) {
    CAPTURE(length);
    const std::string shard = before + FalseHeader(length) + Filler(100) + before;
    const Walk walk = WalkBytes(dir / "shard", kTf, shard);
    CHECK(walk.records.size() == 2);
    CHECK(walk.damage == std::vector<DamagedRange>{{21, 133, DamageReason::kBadLengthCrc}});
  }
}

TEST_CASE("the records of a block are contiguous, and a gap starts a new block") {
  const std::string one = RecordBytes(kTf, "one");
  const TempDir dir;
  WriteFile(dir / "shard", Repeated(3, one) + "gap" + Repeated(2, one));
  const WalkedShard walked = WalkShard(OpenFile(dir / "shard"), 5 * one.size() + 3, kTf);
  REQUIRE(walked.blocks.size() == 2);
  CHECK(walked.blocks[0] == std::vector<uint64_t>{0, 19, 38, 57});
  CHECK(walked.blocks[1] == std::vector<uint64_t>{60, 79, 98});
}

TEST_CASE("a block holds at most 65,536 records, and the next one begins where it ends") {
  const TempDir dir;
  for (const Framing framing : {kTf, kOf}) {
    const std::string one = RecordBytes(framing, "x");
    for (const size_t records : {size_t{kBlockRecords - 1}, size_t{kBlockRecords}, size_t{kBlockRecords + 1}}) {
      CAPTURE(records);
      WriteFile(dir / "shard", Repeated(records, one));
      const WalkedShard walked = WalkShard(OpenFile(dir / "shard"), records * one.size(), framing);
      REQUIRE(walked.blocks.size() == (records > kBlockRecords ? 2 : 1));
      CHECK(walked.blocks[0].size() == std::min<size_t>(records, kBlockRecords) + 1);
      CHECK(walked.blocks.back().back() == records * one.size());
      CHECK(walked.damage.empty());
    }
  }
}

TEST_CASE("only the requested bytes are walked, even if the file is longer") {
  const std::string one = RecordBytes(kTf, "one");
  const TempDir dir;
  WriteFile(dir / "shard", Repeated(4, one));
  const WalkedShard walked = WalkShard(OpenFile(dir / "shard"), 2 * one.size() + 5, kTf);
  CHECK(walked.walk().records.size() == 2);
  CHECK(walked.damage == std::vector<DamagedRange>{{38, 43, DamageReason::kTornTail}});
}

TEST_CASE("a file that shrinks during the walk is an error, not a shorter shard") {
  const std::string one = RecordBytes(kTf, "one");
  const TempDir dir;
  WriteFile(dir / "shard", Repeated(4, one));
  const File file = OpenFile(dir / "shard");
  TruncateTo(dir / "shard", 2 * one.size());
  const Progress progress;
  const FileBytes bytes(file, 4 * one.size());
  ShardWalker walker(bytes, kTf, progress);
  std::vector<uint64_t> boundaries;
  const Result<bool> more = walker.NextBlock(boundaries);
  REQUIRE(!more.has_value());
  CHECK(more.error().code == ErrorCode::kStale);
}

TEST_CASE("a file that is truncated between two looks at the same bytes is an error, and the walk ends") {
  struct Truncating final : WalkVisitor {
    Truncating(std::string shard, uint64_t size) : path(std::move(shard)), bytes(size) {}
    Result<void> Visit(std::span<const uint64_t> /*starts*/, uint64_t /*end*/, ByteView /*window*/,
                       uint64_t /*begin*/) override {
      TruncateTo(path, bytes);
      return {};
    }
    std::string path;
    uint64_t bytes;
  };
  struct Row {
    const char* what;
    Framing framing;
    std::string tail;
  };
  const TempDir dir;
  for (const Row& row :
       {Row{"zeros left by a writer", kOf, Zeros(100)}, Row{"zeros left by a writer", kTf, Zeros(100)},
        Row{"a length out of the file", kOf, Filler(100)}, Row{"a false header", kTf, FalseHeader(9)}}) {
    CAPTURE(row.what);
    CAPTURE(Name(row.framing));
    const std::string one = RecordBytes(row.framing, "one");
    WriteFile(dir / "shard", one + row.tail);
    const File file = OpenFile(dir / "shard");
    const Progress progress;
    const FileBytes bytes(file, one.size() + row.tail.size());
    ShardWalker walker(bytes, row.framing, progress);
    Truncating visitor(dir / "shard", one.size());
    std::vector<uint64_t> boundaries;
    Result<bool> more = walker.NextBlock(boundaries, &visitor);
    while (more && *more) more = walker.NextBlock(boundaries, &visitor);
    REQUIRE(!more.has_value());
    CHECK(more.error().code == ErrorCode::kStale);
  }
}

TEST_CASE("a cancelled walk stops") {
  const TempDir dir;
  WriteFile(dir / "shard", RecordBytes(kTf, "one"));
  const File file = OpenFile(dir / "shard");
  Progress progress;
  progress.cancel = true;
  const FileBytes bytes(file, 19);
  ShardWalker walker(bytes, kTf, progress);
  std::vector<uint64_t> boundaries;
  const Result<bool> more = walker.NextBlock(boundaries);
  REQUIRE(!more.has_value());
  CHECK(more.error().code == ErrorCode::kInterrupted);
}

// Payloads in runs of small and large ones, so that the walk alternates between reading and hopping.
std::vector<std::string> MixedPayloads(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> payloads;
  for (int stretch = 0; stretch < 6; ++stretch) {
    const bool large = (stretch % 2 == 0) == (seed % 2 == 0);
    const size_t count = large ? 4 + random() % 20 : 1 + random() % 2000;
    for (size_t i = 0; i < count; ++i) {
      const size_t size = large ? (24 << 10) + random() % (100 << 10) : random() % 200;
      payloads.emplace_back(size, static_cast<char>(random() & 0xff));
    }
  }
  return payloads;
}

TEST_CASE("shards that alternate between small and large records match the reference walk") {
  const TempDir dir;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Framing framing = seed % 4 < 2 ? kTf : kOf;
    const std::vector<std::string> payloads = MixedPayloads(seed);
    std::string shard = ShardBytes(framing, payloads);
    if (seed >= 8) {
      // Also with a gap in the middle.
      const uint64_t at = RecordBoundaries(framing, payloads)[payloads.size() / 2];
      shard.insert(at, "gap");
    }
    CAPTURE(seed);
    CHECK(WalkBytes(dir / "shard", framing, shard) == ReferenceWalk::Of(framing, shard));
  }
}

}  // namespace
}  // namespace ofindex
