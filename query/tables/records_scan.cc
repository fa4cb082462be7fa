#include "query/tables/records_scan.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "query/filter/number_range.h"

namespace ofindex {
namespace {

// Maximum number of blocks evaluated at a time: their bitmaps take up to 512 KiB.
constexpr uint64_t kMaxWindowBlocks = 64;

// Records skipped one by one between two checks whether the statement may go on: some milliseconds.
constexpr uint64_t kOrdinalsPerCheck = 1 << 16;

}  // namespace

Result<void> RecordsScan::Begin(std::span<const Constraint> constraints, bool descending) {
  OFINDEX_ASSIGN(Predicate predicate, Predicate::Of(*store_, constraints));
  predicate_ = std::move(predicate);
  descending_ = descending;
  window_.clear();
  window_blocks_ = 1;
  blocks_left_ = store_->blocks().size();
  in_block_ = false;
  bits_ = 0;
  done_ = false;
  chosen_ = false;
  return Next();
}

Result<void> RecordsScan::BeginAt(AscendingRows ordinals, std::span<const Constraint> constraints, bool descending) {
  OFINDEX_ASSIGN(Predicate predicate, Predicate::Of(*store_, constraints));
  predicate_ = std::move(predicate);
  descending_ = descending;
  bits_ = 0;
  done_ = false;
  chosen_ = true;
  ordinals_ = std::move(ordinals);
  for (const Predicate::Part& part : predicate_->parts()) {
    if (part.column.origin != Column::Origin::kId || !part.filter.is_interval()) continue;
    const NumberRange<int64_t> range = IntegersIn(part.filter.low, part.filter.high);
    const bool none = range.empty() || range.high < 0;
    const auto low = static_cast<uint64_t>(std::max<int64_t>(range.low, 0));
    ordinals_.Narrow(none ? 1 : low, none ? 0 : static_cast<uint64_t>(range.high));
  }
  ordinals_.Begin(descending);
  return NextOrdinal();
}

Result<void> RecordsScan::NextOrdinal() {
  for (uint64_t passed = 1;; ++passed) {
    const std::optional<uint64_t> ordinal = ordinals_.Take();
    if (!ordinal) break;
    GoTo(*ordinal);
    OFINDEX_ASSIGN(const bool met, Meets());
    if (met) return {};
    if (passed % kOrdinalsPerCheck == 0) OFINDEX_TRY(limits_->Check());
  }
  done_ = true;
  return {};
}

void RecordsScan::GoTo(uint64_t ordinal) {
  const std::vector<BlockMetadata>& blocks = store_->blocks();
  if (block_ >= blocks.size() || ordinal - blocks[block_].first_record >= blocks[block_].records) {
    const std::optional<uint64_t> block = store_->BlockOf(ordinal);
    assert(block);  // all ordinals are those of records
    block_ = *block;
  }
  record_ = static_cast<uint32_t>(ordinal - blocks[block_].first_record);
}

// Returns whether the record meets all constraints: for one record what the kernels compute for a block.
Result<bool> RecordsScan::Meets() {
  for (const Predicate::Part& part : predicate_->parts()) {
    if (part.column.origin == Column::Origin::kId) {
      if (part.filter.is_interval()) continue;  // BeginAt() has applied it
      const Chunk::Value id{.type = ColumnValue::Type::kInteger, .integer = static_cast<int64_t>(ordinal())};
      if (!part.filter.Accepts(id)) return false;
      continue;
    }
    OFINDEX_ASSIGN(const Chunk* const chunk, ChunkOf(part.number));
    const bool present = BitAt(chunk->present(), record_);
    if (present && chunk->form() == Chunk::Form::kLists) {
      if (!part.filter.accepts_all()) return false;
      continue;
    }
    const Chunk::Value value = present ? chunk->At(record_) : Chunk::Value{};
    if (value.type == ColumnValue::Type::kNull ? !part.filter.null : !part.filter.Accepts(value)) return false;
  }
  return true;
}

Result<const Chunk*> RecordsScan::ChunkOf(uint32_t column) {
  Slot& slot = slots_[column];
  if (slot.block != block_ || slot.chunk == nullptr) {
    OFINDEX_ASSIGN(slot.chunk, store_->Load(store_->columns()[column], block_));
    slot.block = block_;
  }
  return slot.chunk.get();
}

// Goes to the next block with selected records. Returns false after the last.
Result<bool> RecordsScan::NextBlock() {
  in_block_ = false;
  while (blocks_left_ > 0) {
    --blocks_left_;
    block_ = descending_ ? blocks_left_ : store_->blocks().size() - 1 - blocks_left_;
    if (block_ < window_begin_ || block_ - window_begin_ >= window_.size()) OFINDEX_TRY(FillWindow());
    const BlockSelection& selected = window_[block_ - window_begin_];
    if (selected.count == 0) continue;
    const uint32_t records = store_->blocks()[block_].records;
    word_ = descending_ ? WordCount(records) - 1 : 0;
    bits_ = selected.Word(records, word_);
    in_block_ = true;
    return true;
  }
  return false;
}

// Evaluates this block and the next ones of the scan.
Result<void> RecordsScan::FillWindow() {
  const uint64_t begin = descending_ ? block_ + 1 - std::min(block_ + 1, window_blocks_) : block_;
  const uint64_t end = descending_ ? block_ + 1 : std::min(block_ + window_blocks_, store_->blocks().size());
  OFINDEX_TRY(limits_->Check());
  OFINDEX_ASSIGN(window_, predicate_->Evaluate(begin, end, store_->threads()));
  window_begin_ = begin;
  window_blocks_ = std::min(2 * window_blocks_, kMaxWindowBlocks);
  return {};
}

// Goes to the next word of the block. Returns false after the last.
bool RecordsScan::NextWord() {
  if (!in_block_) return false;
  const uint32_t records = store_->blocks()[block_].records;
  if (word_ == (descending_ ? 0 : WordCount(records) - 1)) return false;
  word_ = descending_ ? word_ - 1 : word_ + 1;
  bits_ = window_[block_ - window_begin_].Word(records, word_);
  return true;
}

Result<void> RecordsScan::Next() {
  if (chosen_) return NextOrdinal();
  while (bits_ == 0) {
    if (NextWord()) continue;
    OFINDEX_ASSIGN(const bool more, NextBlock());
    done_ = !more;
    if (done_) return {};
  }
  const int bit = descending_ ? 63 - std::countl_zero(bits_) : std::countr_zero(bits_);
  bits_ ^= uint64_t{1} << bit;
  record_ = word_ * 64 + static_cast<uint32_t>(bit);
  return {};
}

}  // namespace ofindex
