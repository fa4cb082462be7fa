#include "index/catalog/shared_catalog.h"

#include <utility>

#include "base/text.h"

namespace ofindex {

Result<std::shared_ptr<SharedCatalog>> SharedCatalog::Open(const std::shared_ptr<const IndexFile>& index) {
  OFINDEX_ASSIGN(CatalogReader reader, CatalogReader::Open(index));
  auto catalog = std::make_shared<SharedCatalog>(std::move(reader));
  OFINDEX_ASSIGN(catalog->generations_, catalog->reader_.Generations());
  OFINDEX_ASSIGN(catalog->shards_, catalog->reader_.Shards());
  OFINDEX_ASSIGN(catalog->features_, catalog->reader_.Features());
  return catalog;
}

Result<std::vector<DamageRow>> SharedCatalog::Damage() {
  return With([](CatalogReader& reader) { return reader.Damage(); });
}

Result<std::vector<BadRow>> SharedCatalog::Bad() {
  return With([](CatalogReader& reader) { return reader.Bad(); });
}

Result<std::vector<SkippedFile>> SharedCatalog::Skipped() {
  return With([](CatalogReader& reader) { return reader.Skipped(); });
}

Result<std::vector<BlockMetadata>> SharedCatalog::Blocks() {
  OFINDEX_ASSIGN(const std::vector<BlockRow> rows,
                 With([](CatalogReader& reader) { return reader.ReadBlockMetadata(); }));
  std::vector<BlockMetadata> blocks;
  blocks.reserve(rows.size());
  for (const BlockRow& row : rows) blocks.push_back({row.shard, row.first_record, row.records});
  return blocks;
}

Result<std::vector<std::optional<ChunkRow>>> SharedCatalog::ChunkMetadata(uint32_t feature, ColumnRole role,
                                                                          const std::vector<BlockMetadata>& blocks) {
  OFINDEX_ASSIGN(std::vector<ChunkRow> rows,
                 With([&](CatalogReader& reader) { return reader.ReadChunkMetadata(feature, role); }));
  std::vector<std::optional<ChunkRow>> chunk_metadata(blocks.size());
  for (ChunkRow& row : rows) {
    if (row.block > chunk_metadata.size() || row.nulls > blocks[row.block - 1].records) {
      return DamagedIndex(reader_.path(), StrCat("a ", Name(role), " chunk of feature ", feature, " in block ",
                                                 row.block, ", which cannot have it"));
    }
    chunk_metadata[row.block - 1] = std::move(row);
  }
  return chunk_metadata;
}

Result<std::vector<uint8_t>> SharedCatalog::Data(uint32_t feature, ColumnRole role, uint64_t block) {
  return With([&](CatalogReader& reader) { return reader.ChunkData(feature, role, block + 1); });
}

}  // namespace ofindex
