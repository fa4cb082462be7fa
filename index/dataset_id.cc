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

Result<void> CheckDatasetId(CatalogReader& catalog) {
  OFINDEX_ASSIGN(const std::vector<ShardRow> shards, catalog.Shards());
  DatasetId id;
  size_t next = 0;
  const auto add_shards_up_to = [&](size_t end) {
    for (; next < end; ++next) id.AddShard(shards[next].identity, shards[next].framing);
  };
  OFINDEX_TRY(catalog.ForEachBlock([&](const BlockRow& block) -> Result<void> {
    add_shards_up_to(std::min<size_t>(shards.size(), size_t{block.shard} + 1));
    id.AddBlock(block);
    return {};
  }));
  add_shards_up_to(shards.size());
  if (id.Digest() == catalog.facts().id) return {};
  return Fail(ErrorCode::kIndex, StrCat(Printable(catalog.path()), ": the index is damaged: expected id ",
                                        ToHex(catalog.facts().id), ", got ", ToHex(id.Digest())),
              "build the index anew with `ofindex build --force`");
}

}  // namespace ofindex
