#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/predicate.h"
#include "query/tables/ascending_rows.h"
#include "query/tables/values/work_limits.h"

namespace ofindex {

/// The records that meet some constraints, in the order of their ordinals. Several blocks are evaluated at a time, on
/// all threads: few at first, for queries that need few records. Chunks are loaded when the scan first asks for their
/// column in a block. Not thread-safe; the store and the limits must outlive it.
class RecordsScan {
 public:
  RecordsScan(ColumnStore& store, const WorkLimits& limits)
      : store_(&store), limits_(&limits), slots_(store.columns().size()) {}

  /// Goes to the first record, or to the last. Errors: kIndex, kIo, kLimit, kInterrupted.
  [[nodiscard]] Result<void> Begin(std::span<const Constraint> constraints, bool descending);

  /// Goes to the first or last record of `ordinals`; the scan skips all records that `ordinals` does not hold.
  /// `ordinals` must stay valid. A constraint on a list may only be one for NULL. Errors: as Begin.
  [[nodiscard]] Result<void> BeginAt(AscendingRows ordinals, std::span<const Constraint> constraints, bool descending);

  /// Goes to the next record. Must not be called after done(). Errors: as Begin.
  [[nodiscard]] Result<void> Next();

  /// Goes to the next record if that takes no work, as in 63 of 64 calls if all records pass.
  [[nodiscard]] bool TryNext() {
    if (bits_ == 0 || descending_) return false;
    record_ = word_ * 64 + static_cast<uint32_t>(std::countr_zero(bits_));
    bits_ &= bits_ - 1;
    return true;
  }

  [[nodiscard]] bool done() const { return done_; }

  /// Goes to a record, whether or not it meets the constraints. Next() must not be called then.
  void Visit(uint64_t ordinal) {
    bits_ = 0;
    GoTo(ordinal);
    done_ = false;
  }

  /// Makes done() true.
  void Finish() { done_ = true; }

  // The current position: the record's ordinal, its block, and its number in the block.
  [[nodiscard]] uint64_t ordinal() const { return store_->blocks()[block_].first_record + record_; }
  [[nodiscard]] uint64_t block() const { return block_; }
  [[nodiscard]] uint32_t record() const { return record_; }

  /// Returns column `column`'s chunk in this block; valid until the scan leaves the block. Errors: kIndex, kIo, kLimit.
  [[nodiscard]] Result<const Chunk*> ChunkOf(uint32_t column);

  /// Returns the same chunk if it was already asked for in this block, otherwise null.
  [[nodiscard]] const Chunk* KnownChunk(uint32_t column) const {
    return slots_[column].block == block_ ? slots_[column].chunk.get() : nullptr;
  }

 private:
  /// The chunk of a column that was used last.
  struct Slot {
    uint64_t block = UINT64_MAX;
    std::shared_ptr<const Chunk> chunk;
  };

  [[nodiscard]] Result<bool> NextBlock();
  [[nodiscard]] Result<void> FillWindow();
  [[nodiscard]] bool NextWord();
  [[nodiscard]] Result<void> NextOrdinal();
  void GoTo(uint64_t ordinal);
  [[nodiscard]] Result<bool> Meets();

  ColumnStore* store_;
  const WorkLimits* limits_;
  std::vector<Slot> slots_;
  std::optional<Predicate> predicate_;
  bool descending_ = false;
  bool done_ = true;

  // Blocks [window_begin_, + window_.size()) are evaluated.
  std::vector<BlockSelection> window_;
  uint64_t window_begin_ = 0;
  uint64_t window_blocks_ = 1;

  // BeginAt(): the remaining ordinals.
  bool chosen_ = false;
  AscendingRows ordinals_;

  uint64_t blocks_left_ = 0;
  bool in_block_ = false;
  uint64_t block_ = 0;
  uint32_t word_ = 0;
  uint64_t bits_ = 0;  // of the word, of the remaining records
  uint32_t record_ = 0;
};

}  // namespace ofindex
