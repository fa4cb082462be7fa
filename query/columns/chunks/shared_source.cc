#include "query/columns/chunks/shared_source.h"

#include <utility>

#include "base/text.h"
#include "query/columns/chunks/record_column.h"

namespace ofindex {

SharedSource::SharedSource(std::unique_ptr<ColumnSource> source) : source_(std::move(source)) {
  for (const ShardRow& shard : shards()) {
    shard_texts_.push_back(IsText(AsBytes(shard.path)) ? shard.path : Printable(shard.path));
  }
}

Result<std::shared_ptr<const SharedSource::Heads>> SharedSource::HeadsOf(uint32_t feature, ColumnRole role) {
  const uint64_t number = Column{.name = {}, .feature = feature, .role = role}.number();
  {
    const std::lock_guard lock(heads_mutex_);
    if (const auto found = heads_.find(number); found != heads_.end()) return found->second;
  }
  std::shared_ptr<const Heads> heads;
  {
    const std::lock_guard lock(source_mutex_);
    OFINDEX_ASSIGN(Heads read, source_->Heads(feature, role));
    read.resize(blocks().size());
    heads = std::make_shared<const Heads>(std::move(read));
  }
  const std::lock_guard lock(heads_mutex_);
  return heads_.emplace(number, std::move(heads)).first->second;
}

Result<bool> SharedSource::Stored(uint32_t feature, ColumnRole role, uint64_t block) {
  OFINDEX_ASSIGN(const std::shared_ptr<const Heads> heads, HeadsOf(feature, role));
  return (*heads)[block].has_value();
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

}  // namespace ofindex
