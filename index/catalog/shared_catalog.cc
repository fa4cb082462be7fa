#include "index/catalog/shared_catalog.h"

#include <utility>

#include "base/text.h"

namespace ofindex {

Result<std::shared_ptr<SharedCatalog>> SharedCatalog::Open(const std::shared_ptr<const IndexFile>& index) {
  OFINDEX_ASSIGN(CatalogReader reader, CatalogReader::Open(index));
  auto catalog = std::make_shared<SharedCatalog>(std::move(reader));
  OFINDEX_ASSIGN(catalog->generations_, catalog->reader_.Generations());
  OFINDEX_ASSIGN(const std::vector<ShardRow> pieces, catalog->reader_.Pieces());
  ShardFiles files(pieces);
  catalog->shards_ = std::move(files.rows);
  catalog->numbers_ = std::move(files.numbers);
  catalog->gone_ = std::move(files.gone);
  OFINDEX_ASSIGN(catalog->features_, catalog->reader_.Features());
  return catalog;
}

Result<uint32_t> SharedCatalog::ShardOfPiece(uint32_t piece) const {
  if (piece < numbers_.size() && numbers_[piece] != ShardFiles::kGone) return numbers_[piece];
  return DamagedIndex(reader_.path(), StrCat("there is no shard ", piece, ", in which its map has a record"));
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
  uint64_t number = 0;
  for (const BlockRow& row : rows) {
    ++number;
    const uint32_t shard = numbers_[row.shard];
    if (shard != ShardFiles::kGone) blocks.push_back({shard, row.first_record, row.records, number});
  }
  return blocks;
}

Result<std::vector<std::optional<ChunkRow>>> SharedCatalog::ChunkMetadata(uint32_t feature, ColumnRole role,
                                                                          const std::vector<BlockMetadata>& blocks) {
  OFINDEX_ASSIGN(std::vector<ChunkRow> rows,
                 With([&](CatalogReader& reader) { return reader.ReadChunkMetadata(feature, role); }));
  std::vector<std::optional<ChunkRow>> chunk_metadata(blocks.size());
  size_t next = 0;  // rows and blocks both ascend; chunks of missing shards have no block here
  for (ChunkRow& row : rows) {
    while (next < blocks.size() && blocks[next].number < row.block) ++next;
    const bool is_there = next < blocks.size() && blocks[next].number == row.block;
    if (!is_there && !gone_.empty()) continue;
    if (!is_there || row.nulls > blocks[next].records) {
      return DamagedIndex(reader_.path(), StrCat("a ", Name(role), " chunk of feature ", feature, " in block ",
                                                 row.block, ", which cannot have it"));
    }
    chunk_metadata[next] = std::move(row);
  }
  return chunk_metadata;
}

Result<std::vector<uint8_t>> SharedCatalog::Data(uint32_t feature, ColumnRole role, uint64_t block) {
  return With([&](CatalogReader& reader) { return reader.ChunkData(feature, role, block); });
}

Result<std::vector<uint8_t>> SharedCatalog::HashData(uint64_t block) {
  return With([&](CatalogReader& reader) { return reader.HashData(block); });
}

}  // namespace ofindex
