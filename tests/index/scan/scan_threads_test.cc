#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "index/scan/scan.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/index/walking.h"
#include "tests/proto/message_bytes.h"
#include "tests/support/shard_bytes.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr uint64_t kScanRoom = uint64_t{1} << 20;

/// Shards on disk, some of them damaged, as found by a probe.
class Shards {
 public:
  void Add(Framing framing, const std::string& bytes, uint64_t mean_record_bytes = 100) {
    const std::string path = dir_ / std::to_string(probed_.size());
    WriteFile(path, bytes);
    probed_.push_back({.file = {.path = path, .stored_path = path},
                       .identity = {{.size = bytes.size()}, 0},
                       .framing = bytes.empty() ? Framing::kEmpty : framing,
                       .payload = payload,
                       .mean_record_bytes = mean_record_bytes});
  }

  PayloadKind payload = PayloadKind::kOpaque;  ///< of the shards that are added next

  [[nodiscard]] const std::vector<ProbedShard>& probed() const { return probed_; }

 private:
  TempDir dir_;
  std::vector<ProbedShard> probed_;
};

/// Everything that a scan delivers, in the writer's order.
struct Scanned {
  std::vector<BuiltBlock> blocks;
  std::vector<std::vector<DamagedRange>> damage;
};

Scanned ScanAll(const Shards& shards, bool check_payloads, unsigned threads, Progress& progress,
                const ColumnChoice& columns = {}) {
  BlockQueue queue(shards.probed().size(), kScanRoom);
  const ScanOptions options{.check_payloads = check_payloads, .columns = columns, .message = {}, .threads = threads};
  DatasetScan scan(shards.probed(), options, queue, progress);
  std::jthread scanning([&] { scan.Run(); });
  Scanned scanned;
  for (size_t shard = 0; shard < shards.probed().size(); ++shard) {
    for (;;) {
      auto block = queue.Take(shard);
      REQUIRE_MESSAGE(block.has_value(), block.error().message);
      if (!*block) break;
      scanned.blocks.push_back(std::move(**block));
    }
    scanned.damage.push_back(queue.TakeFindings(shard).damage);
  }
  return scanned;
}

void CheckAlike(const Scanned& a, const Scanned& b) {
  CHECK(a.damage == b.damage);
  REQUIRE(a.blocks.size() == b.blocks.size());
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    CHECK(a.blocks[i].row.shard == b.blocks[i].row.shard);
    CHECK(a.blocks[i].row.first_record == b.blocks[i].row.first_record);
    CHECK(a.blocks[i].row.records == b.blocks[i].row.records);
    CHECK(a.blocks[i].row.offsets == b.blocks[i].row.offsets);
    CHECK(a.blocks[i].row.hashes == b.blocks[i].row.hashes);
    CHECK(a.blocks[i].bad == b.blocks[i].bad);
    CHECK(a.blocks[i].payload_bytes == b.blocks[i].payload_bytes);
    REQUIRE(a.blocks[i].columns.features.size() == b.blocks[i].columns.features.size());
    for (size_t f = 0; f < a.blocks[i].columns.features.size(); ++f) {
      const BlockFeature& feature = a.blocks[i].columns.features[f];
      REQUIRE(feature.chunks.size() == b.blocks[i].columns.features[f].chunks.size());
      CHECK(feature.chunks[0].data == b.blocks[i].columns.features[f].chunks[0].data);
    }
  }
}

// 25 shards: small ones, empty ones, one of several blocks, one with a gap, one with a bad payload, a torn one.
void AddMixedShards(Shards& shards) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    shards.Add(Framing::kTfRecord, seed % 5 == 4 ? "" : ShardBytes(Framing::kTfRecord, SomePayloads(200, 50, seed)));
  }
  shards.Add(Framing::kTfRecord, ShardBytes(Framing::kTfRecord, std::vector<std::string>(150'000, "x")));
  const std::string sound = ShardBytes(Framing::kTfRecord, SomePayloads(10, 30));
  shards.Add(Framing::kTfRecord, sound + "gap" + sound);
  shards.Add(Framing::kTfRecord, WithFlippedBit(sound, sound.size() - 5, 0));
  shards.Add(Framing::kTfRecord, sound.substr(0, sound.size() - 1));
  shards.Add(Framing::kOfRecord, ShardBytes(Framing::kOfRecord, SomePayloads(300, 40)));
}

TEST_CASE("a scan gives the same result on any number of threads, equal to the reference walk") {
  Shards shards;
  AddMixedShards(shards);
  for (const bool check_payloads : {false, true}) {
    CAPTURE(check_payloads);
    Progress progress;
    const Scanned one = ScanAll(shards, check_payloads, 1, progress);
    CHECK(progress.shards_done == 21);  // empty shards need no work
    uint64_t records = 0;
    for (const BuiltBlock& block : one.blocks) records += block.row.records;
    CHECK(progress.records_done == records);
    for (const unsigned threads : {2U, 3U, 8U}) {
      CAPTURE(threads);
      Progress others;
      CheckAlike(ScanAll(shards, check_payloads, threads, others), one);
      CHECK(others.records_done == records);
    }
    for (size_t shard = 0; shard < shards.probed().size(); ++shard) {
      const ProbedShard& probed = shards.probed()[shard];
      Walk walk{.records = {}, .damage = one.damage[shard]};
      for (const BuiltBlock& block : one.blocks) {
        if (block.row.shard != shard) continue;
        CHECK(block.row.first_record == walk.records.size());
        for (uint32_t i = 0; i < block.row.records; ++i) {
          const auto extent = PackedOffsets(block.row.offsets.data()).At(i);
          walk.records.push_back({extent.begin, extent.end});
        }
      }
      CHECK(walk == ReferenceWalk::Of(probed.framing, ReadFile(probed.file.path)));
    }
  }
}

TEST_CASE("with payload checks a block keeps the hash of every payload, and marks the bad ones") {
  const std::vector<std::string> payloads = SomePayloads(50, 100);
  Shards shards;
  std::string shard = ShardBytes(Framing::kTfRecord, payloads);
  const std::vector<uint64_t> boundaries = RecordBoundaries(Framing::kTfRecord, payloads);
  shard[boundaries[7] + 12] ^= 1;
  shard[boundaries[50] - 1] ^= 1;
  shards.Add(Framing::kTfRecord, shard);
  Progress progress;
  const Scanned scanned = ScanAll(shards, true, 2, progress);
  REQUIRE(scanned.blocks.size() == 1);
  const BuiltBlock& block = scanned.blocks[0];
  constexpr auto kReason = static_cast<uint32_t>(BadReason::kPayloadCrc) << 16;
  CHECK(block.bad == std::vector<uint32_t>{7 | kReason, 49 | kReason});
  REQUIRE(block.row.hashes.size() == 8 * payloads.size());
  for (size_t i = 0; i < payloads.size(); ++i) {
    const bool same = LoadLe64(block.row.hashes.data() + 8 * i) == Xxh3(AsBytes(payloads[i]));
    CHECK(same == (i != 7));
  }
}

TEST_CASE("scanning ahead in a large shard of large records gives the same result") {
  std::mt19937_64 random(3);
  std::string large;
  while (large.size() < 70 << 20) {
    const std::string payload((64 << 10) + random() % 100'000, 'p');
    large += HeaderOf(Framing::kTfRecord, payload.size()) + payload + "sum?";
    if (random() % 100 == 0) large += "gap" + RecordBytes(Framing::kTfRecord, "sound");
  }
  Shards speculative;
  speculative.Add(Framing::kTfRecord, large, 100'000);
  Shards alone;
  alone.Add(Framing::kTfRecord, large, 100);
  Progress progress;
  const Scanned with = ScanAll(speculative, false, 2, progress);
  CheckAlike(with, ScanAll(alone, false, 2, progress));
  CHECK(with.blocks.size() > 2);
}

TEST_CASE("a shard that is unreadable or shrinks ends the scan with its error") {
  struct Row {
    std::string what;
    std::function<void(const std::string&)> spoil;
    ErrorCode code;
  };
  const std::vector<Row> rows = {
      {"gone", [](const std::string& path) { std::filesystem::remove(path); }, ErrorCode::kIo},
      {"shorter", [](const std::string& path) { TruncateTo(path, 10); }, ErrorCode::kStale},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Shards shards;
    AddMixedShards(shards);
    row.spoil(shards.probed()[17].file.path);
    for (const bool check_payloads : {false, true}) {
      Progress progress;
      BlockQueue queue(shards.probed().size(), kScanRoom);
      const ScanOptions options{.check_payloads = check_payloads, .columns = {}, .message = {}, .threads = 3};
      DatasetScan scan(shards.probed(), options, queue, progress);
      std::jthread scanning([&] { scan.Run(); });
      std::optional<Error> error;
      for (size_t shard = 0; shard < shards.probed().size() && !error; ++shard) {
        for (;;) {
          auto block = queue.Take(shard);
          if (!block) error = block.error();
          if (!block || !*block) break;
        }
      }
      REQUIRE(error);
      CHECK(error->code == row.code);
    }
  }
}

TEST_CASE("a scan ends if it is cancelled or its writer gives up") {
  Shards shards;
  AddMixedShards(shards);
  Progress cancelled;
  cancelled.cancel = true;
  BlockQueue queue(shards.probed().size(), kScanRoom);
  const ScanOptions options{.check_payloads = true, .columns = {}, .message = {}, .threads = 4};
  DatasetScan(shards.probed(), options, queue, cancelled).Run();
  CHECK(queue.Take(0).error().code == ErrorCode::kInterrupted);

  // The queue is full and nobody takes from it: Abort must release the waiting builders.
  Progress progress;
  BlockQueue full(shards.probed().size(), 1);
  const ScanOptions quick{.check_payloads = false, .columns = {}, .message = {}, .threads = 4};
  DatasetScan scan(shards.probed(), quick, full, progress);
  std::jthread scanning([&] { scan.Run(); });
  full.Abort({ErrorCode::kIo, "the disk is full"});
  scanning.join();
  CHECK(full.Take(0).error().message == "the disk is full");
}

TEST_CASE("one large shard of small records gives the same result on any number of threads, with and without columns") {
  std::string bytes;
  for (int64_t i = 0; i < 70'000; ++i) {
    const std::string text(900 + static_cast<size_t>(i % 89), 'x');
    bytes += RecordBytes(Framing::kTfRecord, Field(1, Entry("n", Field(3, PackedVarints({i * i}))) +
                                                          Entry("t", Field(1, BytesList({text})))));
    if (i == 30'000) bytes += "damage";
  }
  Shards shards;
  shards.payload = PayloadKind::kExample;
  shards.Add(Framing::kTfRecord, bytes, 1000);
  for (const ColumnChoice& columns : {ColumnChoice{ColumnChoice::Mode::kNone, {}}, ColumnChoice{}}) {
    Progress progress;
    const Scanned one = ScanAll(shards, false, 1, progress, columns);
    CHECK(one.blocks.size() == 2);
    CHECK(one.damage[0].size() == 1);
    for (const unsigned threads : {2U, 5U}) {
      Progress others;
      CheckAlike(ScanAll(shards, false, threads, others, columns), one);
      CHECK(others.records_done == 70'000);
      CHECK(others.bytes_done == bytes.size());
    }
  }
}

}  // namespace
}  // namespace ofindex
