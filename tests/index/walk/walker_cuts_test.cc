#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/index/walking.h"
#include "tests/support/sanitizers.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

// Every byte; every fifth if a sanitizer makes each walk ten times as slow.
constexpr uint64_t kCutStep = kSanitized ? 5 : 1;

// Payloads of 0 bytes to a few KiB, with runs of empty ones, over 64 KiB in total.
std::vector<std::string> PayloadsOfAllSizes() {
  std::mt19937_64 random(7);
  std::vector<std::string> payloads;
  for (size_t bytes = 0; bytes < (64 << 10);) {
    const size_t empty_ones = random() % 8 == 0 ? random() % 4 : 0;
    payloads.insert(payloads.end(), empty_ones, "");
    const size_t size = random() % 3 == 0 ? random() % 4096 : random() % 128;
    // Bytes that are never zero, so that a cut-off header is not hidden in a run of zeros.
    payloads.emplace_back(size, static_cast<char>(1 + random() % 255));
    bytes += size;
  }
  return payloads;
}

// Returns the walk expected for the first `size` bytes of a sound shard, derived only from its record boundaries.
Walk Expected(Framing framing, const std::vector<uint64_t>& boundaries, std::string_view cut) {
  Walk walk;
  uint64_t end = 0;
  for (size_t i = 1; i < boundaries.size() && boundaries[i] <= cut.size(); ++i) {
    walk.records.push_back({boundaries[i - 1], boundaries[i]});
    end = boundaries[i];
  }
  if (framing == Framing::kOfRecord) {
    // Empty records followed only by zeros are not records but the start of the tail.
    while (!walk.records.empty() && walk.records.back().end - walk.records.back().begin == 8 &&
           cut.substr(walk.records.back().begin).find_first_not_of('\0') == std::string_view::npos) {
      end = walk.records.back().begin;
      walk.records.pop_back();
    }
  }
  if (end != cut.size()) walk.damage.push_back({end, cut.size(), DamageReason::kTornTail});
  return walk;
}

TEST_CASE("a shard cut at any byte keeps its whole records, and the rest is a torn tail") {
  const std::vector<std::string> payloads = PayloadsOfAllSizes();
  const TempDir dir;
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const std::string shard = ShardBytes(framing, payloads);
    const std::vector<uint64_t> boundaries = RecordBoundaries(framing, payloads);
    REQUIRE(shard.size() >= 64 << 10);
    const std::string path = dir / std::string(Name(framing));
    WriteFile(path, shard);
    const File file = OpenFile(path);
    for (uint64_t size = shard.size() + 1; size-- > 0;) {
      if (size % kCutStep != 0) continue;
      TruncateTo(path, size);
      const Walk walk = WalkShard(file, size, framing).walk();
      const Walk expected = Expected(framing, boundaries, std::string_view(shard).substr(0, size));
      if (walk == expected) continue;
      CAPTURE(Name(framing));
      CAPTURE(size);
      REQUIRE(walk == expected);
    }
  }
}

// Cuts around the start of every record, and one in 1,009 between.
std::vector<uint64_t> CutsOf(const std::vector<uint64_t>& boundaries) {
  std::vector<uint64_t> cuts;
  for (const uint64_t point : boundaries) {
    for (uint64_t size = point < 40 ? 0 : point - 40; size <= std::min(point + 40, boundaries.back()); ++size) {
      cuts.push_back(size);
    }
  }
  for (uint64_t size = 0; size < boundaries.back(); size += 1009) cuts.push_back(size);
  std::sort(cuts.begin(), cuts.end(), std::greater<>());
  return cuts;
}

TEST_CASE("a shard of large records, which the walk hops over, keeps its whole records wherever it is cut") {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 30; ++i) payloads.emplace_back((32 << 10) + 1777 * i, static_cast<char>(1 + i));
  const TempDir dir;
  for (const Framing framing : {Framing::kTfRecord, Framing::kOfRecord}) {
    const std::string shard = ShardBytes(framing, payloads);
    const std::vector<uint64_t> boundaries = RecordBoundaries(framing, payloads);
    const std::string path = dir / std::string(Name(framing));
    WriteFile(path, shard);
    const File file = OpenFile(path);
    for (const uint64_t size : CutsOf(boundaries)) {
      TruncateTo(path, size);
      const Walk walk = WalkShard(file, size, framing).walk();
      const Walk expected = Expected(framing, boundaries, std::string_view(shard).substr(0, size));
      if (walk == expected) continue;
      CAPTURE(Name(framing));
      CAPTURE(size);
      REQUIRE(walk == expected);
    }
  }
}

}  // namespace
}  // namespace ofindex
