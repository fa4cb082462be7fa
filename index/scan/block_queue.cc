#include "index/scan/block_queue.h"

#include <utility>

namespace ofindex {

bool BlockQueue::WaitForRoom(size_t shard) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [&] { return error_ || bytes_ < max_bytes_ || (shard == wanted_ && shards_[shard].blocks.empty()); });
  return !error_;
}

void BlockQueue::Put(size_t shard, size_t number, BuiltBlock block) {
  const std::lock_guard lock(mutex_);
  Shard& to = shards_[shard];
  const size_t slot = number - to.taken;
  if (to.blocks.size() <= slot) to.blocks.resize(slot + 1);
  bytes_ += block.memory();
  to.blocks[slot] = std::move(block);
  changed_.notify_all();
}

void BlockQueue::Finish(size_t shard, size_t blocks, ShardFindings findings) {
  const std::lock_guard lock(mutex_);
  shards_[shard].total = blocks;
  shards_[shard].findings = std::move(findings);
  changed_.notify_all();
}

void BlockQueue::Abort(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  changed_.notify_all();
}

bool BlockQueue::aborted() const {
  const std::lock_guard lock(mutex_);
  return error_.has_value();
}

Result<std::optional<BuiltBlock>> BlockQueue::Take(size_t shard) {
  std::unique_lock lock(mutex_);
  Shard& from = shards_[shard];
  if (wanted_ != shard) {
    wanted_ = shard;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return error_ || Ready(from) || from.total == from.taken; });
  if (error_) return tl::unexpected(*error_);
  if (!Ready(from)) return std::nullopt;
  std::optional<BuiltBlock> block = std::move(from.blocks.front());
  from.blocks.pop_front();
  ++from.taken;
  bytes_ -= block->memory();
  changed_.notify_all();
  return block;
}

ShardFindings BlockQueue::TakeFindings(size_t shard) {
  const std::lock_guard lock(mutex_);
  return std::move(shards_[shard].findings);
}

}  // namespace ofindex
