#include "index/dataset_id.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ofindex {

void DatasetId::AddShard(const ShardIdentity& identity, Framing framing) {
  hash_.Add(identity.size);
  hash_.Add(identity.fingerprint);
  hash_.Add(static_cast<uint64_t>(framing));
}

void DatasetId::AddBlock(const BlockRow& block) {
  hash_.Add(block.begin);
  hash_.Add(block.end);
  hash_.Add(ByteView(block.offsets));
}

namespace {

void AddText(Xxh3Stream& hash, std::string_view text) {
  hash.Add(uint64_t{text.size()});
  hash.Add(AsBytes(text));
}

void AddValue(Xxh3Stream& hash, const ColumnValue& value) {
  hash.Add(static_cast<uint64_t>(value.type));
  hash.Add(static_cast<uint64_t>(value.integer));
  hash.Add(std::bit_cast<uint64_t>(value.real));
  AddText(hash, value.bytes);
}

void AddShards(Xxh3Stream& hash, const std::vector<ShardRow>& shards) {
  for (const ShardRow& shard : shards) {
    AddText(hash, shard.path);
    hash.Add(static_cast<uint64_t>(shard.payload));
    hash.Add(static_cast<uint64_t>(shard.identity.mtime_ns));
    hash.Add(shard.first_record);
    hash.Add(shard.records);
    hash.Add(shard.payload_bytes);
    hash.Add(static_cast<uint64_t>(shard.compression));
    hash.Add(shard.inflated_bytes);
  }
}

void AddFeatures(Xxh3Stream& hash, const std::vector<FeatureRow>& features) {
  for (const FeatureRow& row : features) {
    AddText(hash, row.name);
    for (const uint64_t number : {uint64_t{row.kinds}, row.present, row.values, uint64_t{row.values_min},
                                  uint64_t{row.values_max}, row.single, row.largest_bytes, uint64_t{row.whole}}) {
      hash.Add(number);
    }
    for (const std::string& text : {row.sql_value, row.sql_count, row.sql_size, row.type}) AddText(hash, text);
    AddText(hash, AsText(row.sketch));
  }
}

}  // namespace

void RowsHash::Add(const ChunkRow& chunk) {
  Xxh3Stream hash;
  for (const uint64_t number :
       {static_cast<uint64_t>(chunk.role), chunk.block, uint64_t{chunk.nulls}, uint64_t{chunk.nans}}) {
    hash.Add(number);
  }
  AddValue(hash, chunk.min);
  AddValue(hash, chunk.max);
  AddText(hash, AsText(chunk.data));
  if (chunk.feature >= chunks_.size()) chunks_.resize(chunk.feature + size_t{1});
  chunks_[chunk.feature] += hash.Digest64();
}

void RowsHash::Add(const CheckpointRow& checkpoint) {
  checkpoints_.Add(uint64_t{checkpoint.shard});
  checkpoints_.Add(checkpoint.position);
  checkpoints_.Add(checkpoint.bit);
  checkpoints_.Add(uint64_t{checkpoint.window.size()});
  checkpoints_.Add(ByteView(checkpoint.window));
}

void RowsHash::Keep(std::span<const uint32_t> features) {
  std::vector<uint64_t> kept;
  for (const uint32_t feature : features) kept.push_back(feature < chunks_.size() ? chunks_[feature] : 0);
  chunks_ = std::move(kept);
}

uint64_t RowsHash::Digest(const DatasetFacts& facts, const std::vector<ShardRow>& shards,
                          const std::vector<BadRow>& bad, const std::vector<DamageRow>& damage,
                          const std::vector<FeatureRow>& features) const {
  Xxh3Stream hash;
  hash.Add(static_cast<uint64_t>(facts.checked));
  hash.Add(facts.records);
  hash.Add(facts.payload_bytes);
  hash.Add(facts.data_bytes);
  AddShards(hash, shards);
  hash.Add(checkpoints_.Digest64());
  for (const BadRow& row : bad) {
    hash.Add(row.record);
    hash.Add(static_cast<uint64_t>(row.reason));
  }
  for (const DamageRow& row : damage) {
    hash.Add(uint64_t{row.shard});
    hash.Add(row.range.begin);
    hash.Add(row.range.end);
    hash.Add(static_cast<uint64_t>(row.range.reason));
    const ByteRange file = row.range.file.value_or(ByteRange{0, 0});
    hash.Add(file.begin);
    hash.Add(file.end);
  }
  AddFeatures(hash, features);
  for (size_t i = 0; i < features.size(); ++i) hash.Add(i < chunks_.size() ? chunks_[i] : 0);
  return hash.Digest64();
}

Result<void> CheckDatasetId(CatalogReader& catalog) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  DatasetId id;
  size_t next = 0;
  uint64_t records = 0;
  bool running_on = true;
  const auto add_shards_up_to = [&](size_t end) {
    for (; next < end; ++next) id.AddShard(shards[next].identity, shards[next].framing);
  };
  OFINDEX_TRY(catalog.ForEachBlock([&](const BlockRow& block) -> Result<void> {
    add_shards_up_to(std::min<size_t>(shards.size(), size_t{block.shard} + 1));
    id.AddBlock(block);
    running_on = running_on && block.first_record == records;
    records += block.records;
    return {};
  }));
  add_shards_up_to(shards.size());
  OFINDEX_ASSIGN(const std::vector<BadRow> bad, catalog.Bad());
  OFINDEX_ASSIGN(const std::vector<DamageRow> damage, catalog.Damage());
  OFINDEX_ASSIGN(const std::vector<FeatureRow> features, catalog.Features());
  RowsHash rows;
  OFINDEX_TRY(catalog.ForEachChunk([&](const ChunkRow& chunk) -> Result<void> {
    running_on = running_on && chunk.feature < features.size();
    if (running_on) rows.Add(chunk);
    return {};
  }));
  OFINDEX_TRY(catalog.ForEachCheckpoint(std::nullopt, [&](const CheckpointRow& checkpoint) -> Result<void> {
    running_on = running_on && checkpoint.shard < shards.size();
    rows.Add(checkpoint);
    return {};
  }));
  const uint64_t rows_hash = rows.Digest(catalog.facts(), shards, bad, damage, features);
  const DatasetFacts& facts = catalog.facts();
  if (running_on && records == facts.records && id.Digest() == facts.id && rows_hash == facts.rows_hash) return {};
  return Fail(ErrorCode::kIndex,
              StrCat(Printable(catalog.path()), ": the index is damaged: expected id ", ToHex(facts.id), " and rows ",
                     ToHex(facts.rows_hash), ", got ", ToHex(id.Digest()), " and ", ToHex(rows_hash)),
              "build the index anew with `ofindex build --force`");
}

}  // namespace ofindex
