#include "mmap/ready_blocks.h"

#include "base/allocation.h"
#include "base/framing.h"

namespace ofindex {

ReadyBlocks::ReadyBlocks(const OffsetMap& map) {
  static_cast<void>(WithMemory("the blocks of a map", [&]() -> Result<void> {
    blocks_ = std::make_unique<Block[]>(map.header().blocks);
    records_ = map.records();
    return {};
  }));
}

ReadyBlocks::~ReadyBlocks() = default;

void ReadyBlocks::Add(const OffsetMap& map, uint64_t ordinal, const OpenShard& shard, bool allow_bad) {
  uint64_t number = 0;
  if (ordinal >= records_ || shard.mapped().empty() || !map.FindBlock(ordinal, number)) return;
  Block& block = blocks_[number];
  if (block.state.load(std::memory_order_acquire) != State::kNotReady) return;
  const auto found = map.Block(number);
  if (!found || (found->block.bad != 0 && !allow_bad) || found->block.end > shard.size()) return;
  State expected = State::kNotReady;
  if (!block.state.compare_exchange_strong(expected, State::kBeingAdded, std::memory_order_acq_rel)) return;
  block.packed = found->packed;
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
