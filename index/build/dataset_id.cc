#include "index/build/dataset_id.h"

#include <vector>

#include "base/text.h"

namespace ofindex {

void DatasetId::AddShard(const ShardIdentity& identity, Framing framing) {
  hash_.Add(identity.size);
  hash_.Add(identity.fingerprint);
  hash_.Add(static_cast<uint64_t>(framing));
}

void DatasetId::AddAbsence(uint64_t since) { hash_.Add(since); }

void DatasetId::AddBlock(const BlockRow& block) {
  hash_.Add(block.begin);
  hash_.Add(block.end);
  hash_.Add(ByteView(block.offsets));
}

Result<void> CheckDatasetId(CatalogReader& catalog) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Pieces());
  DatasetId id;
  size_t next = 0;
  const auto end_shard = [&] {
    if (next != 0 && shards[next - 1].is_gone()) id.AddAbsence(shards[next - 1].gone);
  };
  const auto add_shards_up_to = [&](size_t end) {
    for (; next < end; ++next) {
      end_shard();
      id.AddShard(shards[next].identity, shards[next].framing);
    }
  };
  const auto add_block = [&](const BlockRow& block) -> Result<void> {
    add_shards_up_to(size_t{block.shard} + 1);
    id.AddBlock(block);
    return {};
  };
  OFINDEX_TRY(catalog.ForEachBlock(add_block, CatalogReader::Which::kAll));
  add_shards_up_to(shards.size());
  end_shard();
  const DatasetFacts& facts = catalog.facts();
  if (id.Digest() == facts.id) return {};
  return DamagedIndex(catalog.path(), StrCat("expected id ", ToHex(facts.id), ", got ", ToHex(id.Digest())));
}

}  // namespace ofindex
