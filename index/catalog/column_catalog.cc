#include "index/catalog/column_catalog.h"

#include "base/text.h"

namespace ofindex {

Result<ColumnCatalog> ColumnCatalog::Open(const std::shared_ptr<const IndexFile>& index) {
  OFINDEX_ASSIGN(CatalogReader reader, CatalogReader::Open(index));
  ColumnCatalog catalog(std::move(reader));
  OFINDEX_ASSIGN(catalog.shards_, catalog.catalog_.Shards());
  OFINDEX_ASSIGN(const std::vector<BlockRow> blocks, catalog.catalog_.BlockHeads());
  for (const BlockRow& block : blocks) {
    catalog.blocks_.push_back({block.shard, block.first_record, block.records});
  }
  OFINDEX_ASSIGN(catalog.features_, catalog.catalog_.Features());
  return catalog;
}

Result<std::vector<std::optional<ChunkRow>>> ColumnCatalog::Heads(uint32_t feature, ColumnRole role) {
  OFINDEX_ASSIGN(std::vector<ChunkRow> rows, catalog_.ChunkHeads(feature, role));
  std::vector<std::optional<ChunkRow>> heads(blocks_.size());
  for (ChunkRow& row : rows) {
    if (row.block > heads.size() || row.nulls > blocks_[row.block - 1].records) {
      return DamagedIndex(catalog_.path(), StrCat("a ", Name(role), " chunk of feature ", feature, " in block ",
                                                  row.block, ", which cannot have it"));
    }
    heads[row.block - 1] = std::move(row);
  }
  return heads;
}

Result<std::vector<uint8_t>> ColumnCatalog::Data(uint32_t feature, ColumnRole role, uint64_t block) {
  return catalog_.ChunkData(feature, role, block + 1);
}

}  // namespace ofindex
