#include "index/build/index_writer.h"

#include <cassert>
#include <utility>

#include "base/framing.h"
#include "base/text.h"
#include "index/build/map_builder.h"
#include "index/catalog/paths.h"
#include "index/database/index_file.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {

Result<IndexWriter> IndexWriter::Begin(const std::string& index_path, std::optional<OutputFile> map_file,
                                       ColumnChoice columns) {
  OFINDEX_ASSIGN(CatalogWriter catalog, CatalogWriter::Create(index_path));
  std::optional<OffsetMapWriter> map;
  if (map_file) {
    OFINDEX_ASSIGN(map, OffsetMapWriter::Begin(std::move(*map_file)));
  }
  return IndexWriter(std::move(catalog), std::move(map), std::move(columns));
}

void IndexWriter::BeginShard(const ProbedShard& shard) {
  BeginShard({.path = shard.file.stored_path,
              .framing = shard.framing,
              .payload = shard.payload,
              .identity = shard.identity,
              .compression = shard.compression,
              .file = kOwnFile});
}

void IndexWriter::BeginShard(const ShardRow& row) {
  shards_.push_back({.path = row.path,
                     .framing = row.framing,
                     .payload = row.payload,
                     .identity = row.identity,
                     .first_record = ordinals_,
                     .compression = row.compression,
                     .file = row.file == kOwnFile ? static_cast<uint32_t>(shards_.size()) : row.file,
                     .begin = row.begin,
                     .gone = row.gone});
  id_.AddShard(row.identity, row.framing);
  shard_end_ = row.begin;
  totals_.clear();
}

Result<void> IndexWriter::AddBlock(BuiltBlock block) {
  OFINDEX_TRY(AddRow(block.row));
  OFINDEX_TRY(AddColumns(std::move(block.columns)));
  return EndBlock(block.row, block.bad);
}

// Sets the block's shard and first record, and adds its row.
Result<void> IndexWriter::AddRow(BlockRow& row) {
  ShardRow& shard = shards_.back();
  row.shard = static_cast<uint32_t>(shards_.size() - 1);
  row.first_record = ordinals_;
  shard.records += row.records;
  shard.payload_bytes += row.end - row.begin - FramingBytes(shard.framing) * row.records;
  ordinals_ += row.records;
  id_.AddBlock(row);
  ++blocks_;
  return catalog_.Add(row);
}

Result<void> IndexWriter::AddColumns(BlockColumns columns) {
  dropped_ = dropped_ || columns.dropped;
  if (columns.dropped_from) table_.DropFrom(std::move(*columns.dropped_from));
  for (BlockFeature& feature : columns.features) {
    const std::optional<uint32_t> number = table_.Add(feature);
    dropped_ = dropped_ || !number;
    if (!number) continue;
    MergeTotals(feature.row, totals_[*number]);
    for (ChunkRow& chunk : feature.chunks) OFINDEX_TRY(AddChunk(std::move(chunk), *number));
  }
  return {};
}

Result<void> IndexWriter::AddChunk(ChunkRow chunk, uint32_t feature) {
  chunk.feature = feature;
  chunk.block = blocks_;
  return catalog_.Add(chunk);
}

// Adds the bad records of the block, and its entry in the map.
Result<void> IndexWriter::EndBlock(const BlockRow& row, const std::vector<uint32_t>& bad) {
  for (const uint32_t each : bad) {
    const uint32_t record = each & 0xffff;
    const BadRow bad_row{.record = row.first_record + record,
                         .shard = row.shard,
                         .offset = PackedOffsets(row.offsets.data()).At(record).begin,
                         .reason = static_cast<BadReason>(each >> 16)};
    OFINDEX_TRY(catalog_.Add(bad_row));
    if (!shards_.back().is_gone()) bad_.push_back(bad_row);
  }
  if (!map_) return {};
  MapBlock entry;
  entry.first_record = row.first_record;
  entry.begin = row.begin;
  entry.end = row.end;
  entry.records = row.records;
  entry.shard = row.shard;
  return map_->AddBlock(entry, row.offsets, bad);
}

IndexWriter::CopiedFeatures IndexWriter::AddFeatures(const std::vector<FeatureRow>& features,
                                                     const DatasetFacts& facts) {
  dropped_ = dropped_ || facts.features_dropped;
  if (facts.part && facts.part->dropped_from) table_.DropFrom(*facts.part->dropped_from);
  // A whole index does not store which names it dropped: any that come after the last one it has.
  if (!facts.part && facts.features_dropped) table_.DropAfter(features);
  CopiedFeatures copied;
  for (const FeatureRow& row : features) {
    copied.names.push_back(row.name);
    copied.numbers.push_back(table_.AddRow(row));
    dropped_ = dropped_ || !copied.numbers.back();
  }
  return copied;
}

Result<void> IndexWriter::CopyBlock(BlockRow row, std::vector<ChunkRow> chunks, const CopiedFeatures& features,
                                    std::vector<uint32_t> bad) {
  if (row.begin < shard_end_) {
    return Fail(ErrorCode::kIndex,
                StrCat(Printable(shards_.back().path), "@", row.begin, ": a block begins here; expected it after byte ",
                       shard_end_, ", where the block before it ends"),
                "build the index or the parts of this shard again");
  }
  shard_end_ = row.end;
  OFINDEX_TRY(AddRow(row));
  for (ChunkRow& chunk : chunks) {
    assert(chunk.feature < features.numbers.size());
    const std::optional<uint32_t> number = features.numbers[chunk.feature];
    if (!number) continue;
    if (shards_.back().is_gone()) {
      table_.Keep(features.names[chunk.feature]);
    } else {
      table_.AddTypes(features.names[chunk.feature], chunk);
    }
    OFINDEX_TRY(AddChunk(std::move(chunk), *number));
  }
  return EndBlock(row, bad);
}

Result<void> IndexWriter::AddAbsence(const AbsenceRow& absence) { return catalog_.Add(absence); }

void IndexWriter::CopyTotals(const FeatureTotals& totals, const CopiedFeatures& features) {
  for (const auto& [feature, row] : totals) {
    if (feature >= features.numbers.size() || !features.numbers[feature]) continue;
    MergeTotals(row, totals_[*features.numbers[feature]]);
    if (shards_.back().is_gone()) {
      table_.Keep(features.names[feature]);
    } else {
      table_.AddTotals(features.names[feature], row);
    }
  }
}

Result<void> IndexWriter::FinishFeatures(DatasetFacts& facts) {
  std::vector<FeatureTable::Decided> decided = table_.Decide(without_column_, facts.part.has_value());
  facts.columns = columns_;
  facts.derive = derive_;
  facts.features_dropped = dropped_ || !table_.dropped().empty();
  for (const uint32_t number : table_.dropped()) OFINDEX_TRY(catalog_.DropChunks(number));
  std::map<uint32_t, uint32_t> numbers;
  bool renumbers = !table_.dropped().empty();
  for (FeatureTable::Decided& feature : decided) {
    numbers.emplace(feature.given, feature.row.feature);
    if (feature.given != feature.row.feature) {
      renumbers = true;
      OFINDEX_TRY(catalog_.RenumberChunks(feature.given, feature.row.feature));
    }
    OFINDEX_TRY(catalog_.Add(feature.row));
    features_.push_back(std::move(feature.row));
  }
  return renumbers ? catalog_.RenumberTotals(numbers) : Result<void>();
}

Result<void> IndexWriter::EndShard(ShardFindings findings) {
  const ShardRow& shard = shards_.back();
  for (size_t i = shard.file; i < shards_.size(); ++i) {
    if (shards_[i].file == shard.file) shards_[i].inflated_bytes = findings.stream.inflated_bytes;
  }
  for (StoredCheckpoint& stored : findings.stream.checkpoints) {
    const CheckpointRow row{
        .shard = shard.file, .position = stored.position, .bit = stored.bit, .window = std::move(stored.stored)};
    OFINDEX_TRY(catalog_.Add(row));
    if (map_) OFINDEX_TRY(map_->AddCheckpoint(row.checkpoint()));
  }
  const auto number = static_cast<uint32_t>(shards_.size() - 1);
  for (const DamagedRange& range : findings.damage) {
    const DamageRow row{number, range};
    OFINDEX_TRY(catalog_.Add(row));
    if (!shard.is_gone()) damage_.push_back(row);
  }
  OFINDEX_TRY(catalog_.AddTotals(number, totals_));
  if (shard.is_gone()) id_.AddAbsence(shard.gone);
  if (map_) map_->AddShard(MapShardOf(shard));
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
  facts.ordinals = ordinals_;
  for (size_t i = 0; i < shards_.size(); ++i) {
    const ShardRow& shard = shards_[i];
    OFINDEX_TRY(catalog_.Add(shard));
    if (shard.is_gone()) continue;
    facts.records += shard.records;
    facts.payload_bytes += shard.payload_bytes;
    facts.data_bytes += shard.file == i ? shard.identity.size : 0;
  }
  OFINDEX_TRY(FinishFeatures(facts));
  if (facts.part) facts.part->dropped_from = table_.dropped_from();
  OFINDEX_TRY(catalog_.Finish(facts));
  if (!map_) return {};
  MapHeader header;
  header.index_id = facts.id;
  OFINDEX_ASSIGN(const File index, File::OpenRead(index_path));
  OFINDEX_ASSIGN(header.index_binding, IdentityOf(index));
  header.records = ordinals_;
  header.payload_bytes = facts.payload_bytes;
  header.data_dir_bytes = CommonFolderBytes(shards_);
  return map_->Finish(header);
}

}  // namespace ofindex
