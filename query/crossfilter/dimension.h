#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/crossfilter/codes/binning.h"
#include "query/crossfilter/codes/code_memory.h"
#include "query/crossfilter/codes/coded_block.h"

namespace ofindex {

/// A column that is counted in bins. The codes of a block are made when they are first needed, and kept, as far as the
/// memory reaches: for the first blocks. The others are made again for each question, from the chunks. Thread-safe.
class Dimension {
 public:
  /// Reserves memory for the codes, which lasts until the dimension is destroyed. Errors: kUsage if `column` has lists.
  [[nodiscard]] static Result<std::shared_ptr<const Dimension>> Of(std::shared_ptr<ColumnStore> store, Column column,
                                                                   Binning binning, std::shared_ptr<CodeMemory> memory);

  Dimension(std::shared_ptr<ColumnStore> store, Column column, Binning binning, std::shared_ptr<CodeMemory> memory);
  ~Dimension() { memory_->Release(reserved_); }
  Dimension(const Dimension&) = delete;
  Dimension& operator=(const Dimension&) = delete;

  [[nodiscard]] const ColumnStore* store() const { return store_.get(); }
  [[nodiscard]] const Column& column() const { return column_; }
  [[nodiscard]] const Binning& binning() const { return binning_; }
  [[nodiscard]] size_t bins() const { return BinsOf(binning_); }

  /// Returns the codes of a block. Errors: those of ColumnStore::Load.
  [[nodiscard]] Result<std::shared_ptr<const CodedBlock>> Block(uint64_t block) const;

  /// Returns the codes of a block that are kept; null if they are not. Never reads.
  [[nodiscard]] std::shared_ptr<const CodedBlock> Kept(uint64_t block) const;

  /// Returns true once all codes that fit in the memory are kept.
  [[nodiscard]] bool complete() const;

  /// Returns true if all codes fit in the memory.
  [[nodiscard]] bool fits() const { return room_ == store_->blocks().size(); }

 private:
  std::shared_ptr<ColumnStore> store_;
  Column column_;
  Binning binning_;
  std::shared_ptr<CodeMemory> memory_;
  uint64_t reserved_ = 0;  // bytes
  size_t room_ = 0;        // the number of blocks whose codes are kept, from the first on

  mutable std::mutex mutex_;  // guards the members below
  mutable std::vector<std::shared_ptr<const CodedBlock>> kept_;
  mutable size_t made_ = 0;
};

}  // namespace ofindex
