#include "query/columns/chunks/shared_source.h"

#include <utility>

#include "base/bytes.h"
#include "base/text.h"
#include "query/columns/chunks/record_column.h"

namespace ofindex {

SharedSource::SharedSource(std::unique_ptr<ColumnSource> source) : source_(std::move(source)) {
  for (const ShardRow& shard : shards()) {
    shard_texts_.push_back(IsText(AsBytes(shard.path)) ? shard.path : Printable(shard.path));
  }
}

Result<std::shared_ptr<const SharedSource::ChunkMetadata>> SharedSource::MetadataOf(uint32_t feature, ColumnRole role) {
  const uint64_t number = Column{.name = {}, .feature = feature, .role = role}.number();
  {
    const std::lock_guard lock(metadata_mutex_);
    if (const auto found = chunk_metadata_.find(number); found != chunk_metadata_.end()) return found->second;
  }
  std::shared_ptr<const ChunkMetadata> chunk_metadata;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(ChunkMetadata read, source_->ChunkMetadata(feature, role));
    read.resize(blocks().size());
    chunk_metadata = std::make_shared<const ChunkMetadata>(std::move(read));
  }
  const std::lock_guard lock(metadata_mutex_);
  return chunk_metadata_.emplace(number, std::move(chunk_metadata)).first->second;
}

Result<bool> SharedSource::Stored(uint32_t feature, ColumnRole role, uint64_t block) {
  OFINDEX_ASSIGN(const std::shared_ptr<const ChunkMetadata> chunk_metadata, MetadataOf(feature, role));
  return (*chunk_metadata)[block].has_value();
}

Result<Chunk> SharedSource::Decode(uint32_t feature, ColumnRole role, uint64_t block) {
  std::vector<uint8_t> data;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(data, source_->Data(feature, role, block));
  }
  OFINDEX_ASSIGN(Chunk chunk, Chunk::Decode(data, blocks()[block].records));
  const bool lists = chunk.form() == Chunk::Form::kLists;
  if (chunk.form() == Chunk::Form::kEmpty || lists == (role == ColumnRole::kList)) return chunk;
  return Fail(ErrorCode::kIndex,
              StrCat("the index is damaged: the ", Name(role), " column of feature ", feature,
                     " has the wrong form in block ", block + 1),
              "rebuild the index with `ofindex build --force`");
}

Result<std::vector<PackedOffsets::Extent>> SharedSource::Places(uint64_t block) {
  const std::lock_guard lock(source_mutex_);
  return source_->Places(block);
}

Result<std::vector<int64_t>> SharedSource::Hashes(uint64_t block) {
  std::vector<uint8_t> data;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(data, source_->HashData(block));
  }
  if (!data.empty() && data.size() != uint64_t{blocks()[block].records} * 8) {
    return Fail(ErrorCode::kIndex,
                StrCat("the index is damaged: block ", block + 1, " has ", data.size(), " bytes of hashes"),
                "rebuild the index with `ofindex build --force`");
  }
  std::vector<int64_t> hashes(data.size() / 8);
  for (size_t r = 0; r < hashes.size(); ++r) hashes[r] = static_cast<int64_t>(LoadLe64(data.data() + 8 * r));
  return hashes;
}

}  // namespace ofindex
