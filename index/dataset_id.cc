#include "index/dataset_id.h"

#include <algorithm>
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

uint64_t HashRows(const DatasetFacts& facts, const std::vector<ShardRow>& shards, const std::vector<BadRow>& bad,
                  const std::vector<DamageRow>& damage) {
  Xxh3Stream hash;
  hash.Add(static_cast<uint64_t>(facts.checked));
  hash.Add(facts.records);
  hash.Add(facts.payload_bytes);
  hash.Add(facts.data_bytes);
  for (const ShardRow& shard : shards) {
    hash.Add(uint64_t{shard.path.size()});
    hash.Add(AsBytes(shard.path));
    hash.Add(static_cast<uint64_t>(shard.payload));
    hash.Add(static_cast<uint64_t>(shard.identity.mtime_ns));
    hash.Add(shard.first_record);
    hash.Add(shard.records);
    hash.Add(shard.payload_bytes);
  }
  for (const BadRow& row : bad) {
    hash.Add(row.record);
    hash.Add(static_cast<uint64_t>(row.reason));
  }
  for (const DamageRow& row : damage) {
    hash.Add(uint64_t{row.shard});
    hash.Add(row.range.begin);
    hash.Add(row.range.end);
    hash.Add(static_cast<uint64_t>(row.range.reason));
  }
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
  const uint64_t rows_hash = HashRows(catalog.facts(), shards, bad, damage);
  const DatasetFacts& facts = catalog.facts();
  if (running_on && records == facts.records && id.Digest() == facts.id && rows_hash == facts.rows_hash) return {};
  return Fail(ErrorCode::kIndex,
              StrCat(Printable(catalog.path()), ": the index is damaged: expected id ", ToHex(facts.id), " and rows ",
                     ToHex(facts.rows_hash), ", got ", ToHex(id.Digest()), " and ", ToHex(rows_hash)),
              "build the index anew with `ofindex build --force`");
}

}  // namespace ofindex
