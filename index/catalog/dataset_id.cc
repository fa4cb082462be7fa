#include "index/catalog/dataset_id.h"

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

Result<void> CheckDatasetId(CatalogReader& catalog) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  DatasetId id;
  size_t next = 0;
  const auto add_shards_up_to = [&](size_t end) {
    for (; next < end; ++next) id.AddShard(shards[next].identity, shards[next].framing);
  };
  OFINDEX_TRY(catalog.ForEachBlock([&](const BlockRow& block) -> Result<void> {
    add_shards_up_to(size_t{block.shard} + 1);
    id.AddBlock(block);
    return {};
  }));
  add_shards_up_to(shards.size());
  const DatasetFacts& facts = catalog.facts();
  if (id.Digest() == facts.id) return {};
  return DamagedIndex(catalog.path(), StrCat("expected id ", ToHex(facts.id), ", got ", ToHex(id.Digest())));
}

}  // namespace ofindex
