#include "index/build/index_writer.h"

#include <utility>

#include "index/build/map_builder.h"
#include "index/catalog/paths.h"
#include "index/database/index_file.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {

Result<IndexWriter> IndexWriter::Begin(const std::string& index_path, OutputFile map_file, ColumnChoice columns) {
  OFINDEX_ASSIGN(CatalogWriter catalog, CatalogWriter::Create(index_path));
  OFINDEX_ASSIGN(OffsetMapWriter map, OffsetMapWriter::Begin(std::move(map_file)));
  return IndexWriter(std::move(catalog), std::move(map), std::move(columns));
}

void IndexWriter::BeginShard(const ProbedShard& shard) {
  shards_.push_back({.path = shard.file.stored_path,
                     .framing = shard.framing,
                     .payload = shard.payload,
                     .identity = shard.identity,
                     .first_record = records_,
                     .compression = shard.compression});
  id_.AddShard(shard.identity, shard.framing);
}

Result<void> IndexWriter::AddBlock(BuiltBlock block) {
  ShardRow& shard = shards_.back();
  BlockRow& row = block.row;
  row.first_record += shard.first_record;
  shard.records += row.records;
  shard.payload_bytes += block.payload_bytes;
  records_ += row.records;
  id_.AddBlock(row);
  OFINDEX_TRY(catalog_.Add(row));
  ++blocks_;
  OFINDEX_TRY(AddColumns(std::move(block.columns)));
  for (const uint32_t bad : block.bad) {
    const uint32_t record = bad & 0xffff;
    const BadRow bad_row{.record = row.first_record + record,
                         .shard = row.shard,
                         .offset = PackedOffsets(row.offsets.data()).At(record).begin,
                         .reason = static_cast<BadReason>(bad >> 16)};
    OFINDEX_TRY(catalog_.Add(bad_row));
    bad_.push_back(bad_row);
  }
  MapBlock entry;
  entry.begin = row.begin;
  entry.end = row.end;
  entry.records = row.records;
  entry.shard = row.shard;
  return map_.AddBlock(entry, row.offsets, block.bad);
}

Result<void> IndexWriter::AddColumns(BlockColumns columns) {
  dropped_ = dropped_ || columns.dropped;
  if (columns.dropped_from) table_.DropFrom(std::move(*columns.dropped_from));
  for (BlockFeature& feature : columns.features) {
    const std::optional<uint32_t> number = table_.Add(feature);
    dropped_ = dropped_ || !number;
    if (!number) continue;
    for (ChunkRow& chunk : feature.chunks) {
      chunk.feature = *number;
      chunk.block = blocks_;
      OFINDEX_TRY(catalog_.Add(chunk));
    }
  }
  return {};
}

Result<void> IndexWriter::FinishFeatures(DatasetFacts& facts) {
  std::vector<FeatureTable::Decided> decided = table_.Decide(without_column_);
  facts.columns = columns_;
  facts.features_dropped = dropped_ || !table_.dropped().empty();
  for (const uint32_t number : table_.dropped()) OFINDEX_TRY(catalog_.DropChunks(number));
  for (FeatureTable::Decided& feature : decided) {
    if (feature.given != feature.row.feature) {
      OFINDEX_TRY(catalog_.RenumberChunks(feature.given, feature.row.feature));
    }
    OFINDEX_TRY(catalog_.Add(feature.row));
    features_.push_back(std::move(feature.row));
  }
  return {};
}

Result<void> IndexWriter::EndShard(const std::vector<DamagedRange>& damage, StreamFindings stream) {
  ShardRow& shard = shards_.back();
  shard.inflated_bytes = stream.inflated_bytes;
  for (StoredCheckpoint& stored : stream.checkpoints) {
    const CheckpointRow row{.shard = static_cast<uint32_t>(shards_.size() - 1),
                            .position = stored.position,
                            .bit = stored.bit,
                            .window = std::move(stored.stored)};
    OFINDEX_TRY(catalog_.Add(row));
    OFINDEX_TRY(map_.AddCheckpoint(row.checkpoint()));
  }
  for (const DamagedRange& range : damage) {
    damage_.push_back({static_cast<uint32_t>(shards_.size() - 1), range});
    OFINDEX_TRY(catalog_.Add(damage_.back()));
  }
  OFINDEX_TRY(catalog_.Add(shard));
  map_.AddShard(MapShardOf(shard));
  return {};
}

Result<void> IndexWriter::AddSkipped(const std::vector<SkippedFile>& skipped, DatasetFacts& facts) {
  facts.skipped = skipped.size();
  uint64_t added = 0;
  for (const bool unreadable : {true, false}) {
    for (const SkippedFile& file : skipped) {
      if (IsUnreadable(file) != unreadable || added == kMaxSkipped) continue;
      OFINDEX_TRY(catalog_.Add(file));
      ++added;
    }
  }
  return {};
}

Result<void> IndexWriter::Finish(DatasetFacts& facts, const std::string& index_path) {
  facts.id = id_.Digest();
  facts.records = records_;
  for (const ShardRow& shard : shards_) {
    facts.payload_bytes += shard.payload_bytes;
    facts.data_bytes += shard.identity.size;
  }
  OFINDEX_TRY(FinishFeatures(facts));
  OFINDEX_TRY(catalog_.Finish(facts));
  MapHeader header;
  header.index_id = facts.id;
  OFINDEX_ASSIGN(const File index, File::OpenRead(index_path));
  OFINDEX_ASSIGN(header.index_binding, IdentityOf(index));
  header.payload_bytes = facts.payload_bytes;
  header.data_dir_bytes = CommonFolderBytes(shards_);
  return map_.Finish(header);
}

}  // namespace ofindex
