#include "index/index_writer.h"

#include <utility>

#include "index/map_builder.h"
#include "index/paths.h"
#include "mmap/packed_offsets.h"

namespace ofindex {

Result<IndexWriter> IndexWriter::Begin(const std::string& index_path, const std::string& map_path) {
  OFINDEX_ASSIGN(CatalogWriter catalog, CatalogWriter::Create(index_path));
  OFINDEX_ASSIGN(OutputFile map_file, OutputFile::Create(map_path));
  OFINDEX_ASSIGN(OffsetMapWriter map, OffsetMapWriter::Begin(std::move(map_file)));
  return IndexWriter(std::move(catalog), std::move(map));
}

void IndexWriter::BeginShard(const ProbedShard& shard) {
  shards_.push_back({.path = shard.file.stored_path,
                     .framing = shard.framing,
                     .payload = shard.payload,
                     .identity = shard.identity,
                     .first_record = records_});
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

Result<void> IndexWriter::EndShard(const std::vector<DamagedRange>& damage) {
  const ShardRow& shard = shards_.back();
  for (const DamagedRange& range : damage) {
    damage_.push_back({static_cast<uint32_t>(shards_.size() - 1), range});
    OFINDEX_TRY(catalog_.Add(damage_.back()));
  }
  OFINDEX_TRY(catalog_.Add(shard));
  map_.AddShard({.path = shard.path,
                 .framing = shard.framing,
                 .payload = shard.payload,
                 .identity = shard.identity,
                 .first_record = shard.first_record,
                 .records = shard.records});
  return {};
}

Result<void> IndexWriter::Finish(DatasetFacts& facts, const std::string& index_path) {
  facts.id = id_.Digest();
  facts.records = records_;
  size_t common = shards_.empty() ? 0 : shards_.front().path.size();
  for (const ShardRow& shard : shards_) {
    facts.payload_bytes += shard.payload_bytes;
    facts.data_bytes += shard.identity.size;
    common = CommonFolderBytes(shards_.front().path, shard.path, common);
  }
  facts.rows_hash = HashRows(facts, shards_, bad_, damage_);
  OFINDEX_TRY(catalog_.Finish(facts));
  MapHeader header;
  header.index_id = facts.id;
  OFINDEX_ASSIGN(header.index_binding, MapBinding(index_path));
  header.payload_bytes = facts.payload_bytes;
  header.data_dir_bytes = common;
  return map_.Finish(header);
}

}  // namespace ofindex
