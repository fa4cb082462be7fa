#include "mmap/batch/hot_block_cache.h"

#include "base/allocation.h"
#include "base/framing.h"

namespace ofindex {

HotBlockCache::HotBlockCache(const OffsetMap& map) {
  static_cast<void>(WithMemory("the blocks of a map", [&]() -> Result<void> {
    blocks_ = std::make_unique<Block[]>(map.header().blocks);
    cells_ = std::make_unique<Cell[]>(JumpCount(map.records()));
    first_records_ = std::make_unique_for_overwrite<std::atomic<uint64_t>[]>(map.header().blocks);
    records_ = map.records();
    return {};
  }));
}

HotBlockCache::~HotBlockCache() = default;

bool HotBlockCache::AddCell(const OffsetMap& map, uint64_t cell) {
  if (cells_[cell].load(std::memory_order_acquire) != 0) return true;
  OffsetMap::Cell found{};
  if (!map.ReadCell(cell, first_records_.get(), found)) return false;
  cells_[cell].store((found.last + 1) << 32 | found.first, std::memory_order_release);
  return true;
}

// Returns the last block of [low, high] that does not begin after the record.
uint64_t HotBlockCache::SearchBlocks(uint64_t ordinal, uint64_t low, uint64_t high) const {
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (FirstRecord(middle) <= ordinal) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void HotBlockCache::Add(const OffsetMap& map, uint64_t ordinal, uint64_t number, const OpenShard& shard,
                        bool allow_bad) {
  if (ordinal >= records_ || shard.mapped().empty() || !AddCell(map, ordinal / kJumpRecords)) return;
  Block& block = blocks_[number];
  if (block.state.load(std::memory_order_acquire) != State::kNotReady) return;
  const auto found = map.Block(number);
  if (!found || (found->block.bad != 0 && !allow_bad) || found->block.end > shard.size()) return;
  State expected = State::kNotReady;
  if (!block.state.compare_exchange_strong(expected, State::kBeingAdded, std::memory_order_acq_rel)) return;
  block.frames = found->frames;
  block.packed = found->packed;
  block.owned = found->owned;
  block.shard_bytes = shard.mapped().data();
  block.first_record = found->block.first_record;
  block.begin = found->block.begin;
  block.end = found->block.end;
  block.records = found->block.records;
  block.shard = found->block.shard;
  block.header_bytes = static_cast<uint8_t>(HeaderBytes(shard.framing()));
  block.framing_bytes = static_cast<uint8_t>(FramingBytes(shard.framing()));
  block.state.store(State::kReady, std::memory_order_release);
}

}  // namespace ofindex
