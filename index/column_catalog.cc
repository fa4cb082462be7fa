#include "index/column_catalog.h"

#include "base/text.h"

namespace ofindex {

Result<ColumnCatalog> ColumnCatalog::Open(const std::string& index_path) {
  OFINDEX_ASSIGN(CatalogReader reader, CatalogReader::Open(index_path));
  ColumnCatalog catalog(std::move(reader));
  OFINDEX_ASSIGN(catalog.shards_, catalog.catalog_.Shards());
  OFINDEX_ASSIGN(const std::vector<BlockRow> blocks, catalog.catalog_.BlockHeads());
  for (const BlockRow& block : blocks) {
    if (block.shard >= catalog.shards_.size()) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(index_path), ": the index is damaged: a block of no shard"),
                  "build the index anew with `ofindex build --force`");
    }
    catalog.blocks_.push_back({block.shard, block.first_record, block.records});
  }
  OFINDEX_ASSIGN(catalog.features_, catalog.catalog_.Features());
  return catalog;
}

Result<std::vector<std::optional<ChunkRow>>> ColumnCatalog::Heads(uint32_t feature, ColumnRole role) {
  OFINDEX_ASSIGN(std::vector<ChunkRow> rows, catalog_.ChunkHeads(feature, role));
  std::vector<std::optional<ChunkRow>> heads(blocks_.size());
  for (ChunkRow& row : rows) {
    // A chunk of no block is nobody's.
    if (row.block >= 1 && row.block <= heads.size()) heads[row.block - 1] = std::move(row);
  }
  return heads;
}

Result<std::vector<uint8_t>> ColumnCatalog::Data(uint32_t feature, ColumnRole role, uint64_t block) {
  return catalog_.ChunkData(feature, role, block + 1);
}

}  // namespace ofindex
