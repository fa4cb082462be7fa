#include "tests/support/mapped_dataset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/shard_identity.h"
#include "mmap/offsets/offset_map_writer.h"
#include "mmap/offsets/packed_offsets.h"
#include "tests/support/files.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

// An old modification time: a file that a test puts in place of a shard has another, even within one clock tick.
constexpr int64_t kLongAgo = 1'234'567'890'123'456'789;

// Adds the blocks of one shard, which begins at record `first_record`.
void AddBlocks(OffsetMapWriter& map, uint32_t shard, const ShardPlan& plan, uint64_t first_record,
               uint32_t block_records) {
  const std::vector<uint64_t> boundaries = RecordBoundaries(plan.framing, plan.payloads);
  const auto records = static_cast<uint32_t>(plan.payloads.size());
  for (uint32_t first = 0; first < records; first += block_records) {
    const uint32_t count = std::min(block_records, records - first);
    std::vector<uint32_t> bad;
    for (uint32_t record : plan.bad) {
      if (record < first || record >= first + count) continue;
      bad.push_back((record - first) | static_cast<uint32_t>(BadReason::kPayloadCrc) << 16);
    }
    const auto ends = std::span(boundaries).subspan(first, count + 1);
    const MapBlock block{.first_record = first_record + first,
                         .begin = ends.front(),
                         .end = ends.back(),
                         .records = count,
                         .shard = shard};
    REQUIRE(map.AddBlock(block, PackOffsets(ends), bad));
  }
}

}  // namespace

MappedDataset::MappedDataset(std::vector<ShardPlan> shards, uint32_t block_records) : plans_(std::move(shards)) {
  for (uint32_t shard = 0; shard < plans_.size(); ++shard) WriteShard(shard);
  WriteMap(block_records);
}

void MappedDataset::WriteShard(uint32_t shard) {
  const ShardPlan& plan = plans_[shard];
  bytes_.push_back(ShardBytes(plan.framing, plan.payloads));
  std::filesystem::create_directories(std::filesystem::path(shard_path(shard)).parent_path());
  WriteFile(shard_path(shard), bytes_.back());
  SetMtime(shard_path(shard), kLongAgo);
  const std::vector<uint64_t> boundaries = RecordBoundaries(plan.framing, plan.payloads);
  for (size_t i = 0; i < plan.payloads.size(); ++i) {
    payloads_.push_back(plan.payloads[i]);
    locations_.push_back({.shard = shard, .offset = boundaries[i], .length = plan.payloads[i].size()});
  }
}

void MappedDataset::WriteMap(uint32_t block_records) const {
  auto map = OffsetMapWriter::Begin(OutputFile::Create(map_path()).value());
  REQUIRE(map);
  MapHeader header;
  for (uint32_t shard = 0; shard < plans_.size(); ++shard) {
    const ShardPlan& plan = plans_[shard];
    const uint64_t first_record = header.records;
    if (!plan.gone) AddBlocks(*map, shard, plan, first_record, block_records);
    const std::string path = "data/" + plan.path;
    map->AddShard({.path = path,
                   .framing = plan.framing,
                   .payload = PayloadKind::kOpaque,
                   .identity = IdentifyShard(File::OpenRead(shard_path(shard)).value()).value(),
                   .first_record = first_record,
                   .records = plan.payloads.size(),
                   .gone = plan.gone});
    header.records += plan.payloads.size();
    for (const std::string& payload : plan.payloads) header.payload_bytes += plan.gone ? 0 : payload.size();
  }
  header.data_dir_bytes = std::string_view("data/").size();
  REQUIRE(map->Finish(header));
}

RecordReader MappedDataset::Open(ReaderOptions options, uint64_t copied_bytes) const {
  auto map = OffsetMap::Open(map_path(), {}, copied_bytes);
  REQUIRE_MESSAGE(map, map.error().message);
  return RecordReader::Open(std::move(*map), folder(), std::move(options));
}

std::vector<ShardPlan> MixedShards(size_t payload_bytes) {
  return {{.path = "a/part-0", .framing = Framing::kOfRecord, .payloads = SomePayloads(100, payload_bytes, 1)},
          {.path = "a/part-1", .framing = Framing::kOfRecord, .payloads = SomePayloads(1, payload_bytes, 2)},
          {.path = "b/empty", .framing = Framing::kEmpty, .payloads = {}},
          {.path = "b/x.tfrecord", .framing = Framing::kTfRecord, .payloads = SomePayloads(120, payload_bytes, 3)},
          {.path = "b/y.tfrecord", .framing = Framing::kTfRecord, .payloads = SomePayloads(37, payload_bytes, 4)}};
}

}  // namespace ofindex
