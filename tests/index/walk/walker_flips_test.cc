#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "index/scan/block_check.h"
#include "tests/index/walking.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr int kFlips = 20'000;

/// A shard on disk whose bits are flipped one at a time.
class FlippedShard {
 public:
  FlippedShard(const std::string& path, Framing framing)
      : path_(path),
        payloads_(SomePayloads(90, 360)),
        bytes_(ShardBytes(framing, payloads_)),
        boundaries_(RecordBoundaries(framing, payloads_)) {
    WriteFile(path_, bytes_);
  }

  // Flips a bit of a random part of a random record, so that headers are hit as often as payloads. Returns the record.
  size_t Flip(std::mt19937_64& random, uint64_t header, uint64_t footer) {
    const size_t record = random() % payloads_.size();
    const uint64_t begin = boundaries_[record];
    const uint64_t end = boundaries_[record + 1];
    switch (payloads_[record].empty() ? random() % 2 : random() % 3) {
      case 0: at_ = begin + random() % header; break;
      case 1: at_ = footer == 0 ? begin : end - 1 - random() % footer; break;
      default: at_ = begin + header + random() % payloads_[record].size();
    }
    OverwriteAt(path_, at_, WithFlippedBit(bytes_.substr(at_, 1), 0, static_cast<int>(random() % 8)));
    return record;
  }

  void Restore() { OverwriteAt(path_, at_, bytes_.substr(at_, 1)); }

  [[nodiscard]] bool HitFraming(size_t record, uint64_t header) const { return at_ < boundaries_[record] + header; }
  [[nodiscard]] const std::vector<uint64_t>& boundaries() const { return boundaries_; }
  [[nodiscard]] const std::vector<std::string>& payloads() const { return payloads_; }
  [[nodiscard]] uint64_t size() const { return bytes_.size(); }

 private:
  const std::string path_;
  const std::vector<std::string> payloads_;
  const std::string bytes_;
  const std::vector<uint64_t> boundaries_;
  uint64_t at_ = 0;
};

// Returns the starts of records of the walk in which CheckBlock finds a fault.
std::vector<uint64_t> FaultsOf(const File& file, uint64_t size, const WalkedShard& walked) {
  const FileBytes bytes(file, size);
  Progress progress;
  std::vector<uint64_t> faults;
  for (const std::vector<uint64_t>& boundaries : walked.blocks) {
    const Result<BlockFindings> findings = CheckBlock(bytes, Framing::kTfRecord, boundaries, {}, progress);
    REQUIRE(findings.has_value());
    for (const BlockFindings::Faulty& faulty : findings->faults) {
      CHECK(faulty.fault == RecordFault::kPayloadCrc);
      faults.push_back(boundaries[faulty.record]);
    }
  }
  return faults;
}

TEST_CASE("any flipped bit in a TFRecord shard is detected and costs one record") {
  const TempDir dir;
  FlippedShard shard(dir / "shard", Framing::kTfRecord);
  const File file = OpenFile(dir / "shard");
  const Walk sound = WalkShard(file, shard.size(), Framing::kTfRecord).walk();
  REQUIRE(sound.records.size() == shard.payloads().size());
  std::mt19937_64 random(20'000);
  int in_headers = 0;
  for (int i = 0; i < kFlips; ++i) {
    const size_t record = shard.Flip(random, 12, 4);
    const Walk::Extent hit = sound.records[record];
    const WalkedShard walked = WalkShard(file, shard.size(), Framing::kTfRecord);
    const std::vector<uint64_t> faults = FaultsOf(file, shard.size(), walked);
    Walk expected = sound;
    std::vector<uint64_t> expected_faults;
    if (shard.HitFraming(record, 12)) {
      ++in_headers;
      expected.records.erase(expected.records.begin() + static_cast<std::ptrdiff_t>(record));
      expected.damage.push_back({hit.begin, hit.end, DamageReason::kBadLengthCrc});
    } else {
      expected_faults.push_back(hit.begin);
    }
    const Walk walk = walked.walk();
    if (walk != expected || faults != expected_faults) {
      CAPTURE(i);
      CAPTURE(record);
      CHECK(walk == expected);
      REQUIRE(faults == expected_faults);
    }
    shard.Restore();
  }
  CHECK(in_headers > kFlips / 4);
  CHECK(in_headers < kFlips * 3 / 4);
}

TEST_CASE("any flipped bit in an OFRecord shard is detected by a length or a hash") {
  const TempDir dir;
  FlippedShard shard(dir / "shard", Framing::kOfRecord);
  const File file = OpenFile(dir / "shard");
  const FileBytes bytes(file, shard.size());
  Progress progress;
  const Result<BlockFindings> sound = CheckBlock(bytes, Framing::kOfRecord, shard.boundaries(), {}, progress);
  REQUIRE(sound.has_value());
  CHECK(sound->faults.empty());
  CHECK(sound->empty_records == 1);
  std::mt19937_64 random(20'001);
  for (int i = 0; i < kFlips; ++i) {
    const size_t record = shard.Flip(random, 8, 0);
    const RecordFault expected = shard.HitFraming(record, 8) ? RecordFault::kLength : RecordFault::kPayloadHash;
    const Result<BlockFindings> found =
        CheckBlock(bytes, Framing::kOfRecord, shard.boundaries(), sound->hashes, progress);
    REQUIRE(found.has_value());
    const bool as_expected =
        found->faults.size() == 1 && found->faults[0].record == record && found->faults[0].fault == expected;
    if (!as_expected) {
      CAPTURE(i);
      CAPTURE(record);
      REQUIRE(as_expected);
    }
    shard.Restore();
  }
}

TEST_CASE("a flipped bit in an OFRecord's length never leads the walk outside the file") {
  const TempDir dir;
  FlippedShard shard(dir / "shard", Framing::kOfRecord);
  const File file = OpenFile(dir / "shard");
  std::mt19937_64 random(20'002);
  for (int i = 0; i < 2'000; ++i) {
    static_cast<void>(shard.Flip(random, 8, 0));
    const Walk walk = WalkShard(file, shard.size(), Framing::kOfRecord).walk();
    if (walk != ReferenceWalk::Of(Framing::kOfRecord, ReadFile(dir / "shard"))) {
      CAPTURE(i);
      REQUIRE(walk == ReferenceWalk::Of(Framing::kOfRecord, ReadFile(dir / "shard")));
    }
    shard.Restore();
  }
}

}  // namespace
}  // namespace ofindex
