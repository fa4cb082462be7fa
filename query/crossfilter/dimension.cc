#include "query/crossfilter/dimension.h"

#include <utility>

#include "base/allocation.h"
#include "base/text.h"

namespace ofindex {

Result<std::shared_ptr<const Dimension>> Dimension::Of(std::shared_ptr<ColumnStore> store, Column column,
                                                       Binning binning, std::shared_ptr<CodeMemory> memory) {
  if (column.is_list()) {
    return Fail(ErrorCode::kUsage, StrCat("column \"", column.name, "\" has lists: expected a column of single values"),
                "choose another column, for example that of the lengths of these lists");
  }
  return WithMemory("the bins of a column", [&]() -> Result<std::shared_ptr<const Dimension>> {
    return std::make_shared<const Dimension>(std::move(store), std::move(column), std::move(binning),
                                             std::move(memory));
  });
}

Dimension::Dimension(std::shared_ptr<ColumnStore> store, Column column, Binning binning,
                     std::shared_ptr<CodeMemory> memory)
    : store_(std::move(store)),
      column_(std::move(column)),
      binning_(std::move(binning)),
      memory_(std::move(memory)),
      kept_(store_->blocks().size()) {
  // The codes of the first blocks are kept, and not the codes that are made first: so what is kept does not depend on
  // the threads.
  for (const BlockMetadata& block : store_->blocks()) {
    const uint64_t bytes = CodedBlock::MaxMemory(block.records);
    if (!memory_->Reserve(bytes)) break;
    reserved_ += bytes;
    ++room_;
  }
}

Result<std::shared_ptr<const CodedBlock>> Dimension::Block(uint64_t block) const {
  if (auto kept = Kept(block)) return kept;
  OFINDEX_ASSIGN(const std::shared_ptr<const Chunk> chunk, store_->Load(column_, block));
  auto made = std::make_shared<const CodedBlock>(CodedBlock::Of(*chunk, binning_));
  if (block >= room_) return made;
  const std::lock_guard lock(mutex_);
  if (kept_[block] == nullptr) {
    kept_[block] = std::move(made);
    ++made_;
  }
  return kept_[block];
}

std::shared_ptr<const CodedBlock> Dimension::Kept(uint64_t block) const {
  const std::lock_guard lock(mutex_);
  return kept_[block];
}

bool Dimension::complete() const {
  const std::lock_guard lock(mutex_);
  return made_ == room_;
}

}  // namespace ofindex
