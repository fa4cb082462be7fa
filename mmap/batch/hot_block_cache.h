#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "mmap/offsets/offset_map.h"
#include "mmap/offsets/packed_offsets.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {

/// The hot-block cache: blocks whose records can be read immediately, because the block's checksum was verified, its
/// shard is open, checked and mapped, and none of its records must be refused. Each block has one cache line with
/// everything that is needed to locate its records.
///
/// A record is located in two steps, so that a batch can prefetch the packed offsets of one record and the bytes of
/// another while it copies a third. Blocks are added when first touched and are never removed. Thread-safe without
/// locks, and usable after fork: a block that another thread was adding during the fork never becomes ready in the
/// child, so its records are read on the slow path.
class HotBlockCache {
  struct Block;

 public:
  /// Creates a cache for the blocks of `map`, none of which is ready. If there is no memory for the table, none ever
  /// becomes ready.
  explicit HotBlockCache(const OffsetMap& map);
  ~HotBlockCache();
  HotBlockCache(const HotBlockCache&) = delete;
  HotBlockCache& operator=(const HotBlockCache&) = delete;

  /// Makes block `number`, which holds record `ordinal`, ready if it is sound, `shard` is mapped, and either the block
  /// holds no bad record or `allow_bad` is set. `shard`, which holds the record, must outlive this object.
  void Add(const OffsetMap& map, uint64_t ordinal, uint64_t number, const OpenShard& shard, bool allow_bad);

  /// The result of the first step of locating a record.
  struct Locator {
    const Block* block;
    PackedOffsets::Slot slot;
  };

  /// A record in the mapping of its shard.
  struct Record {
    const uint8_t* framed;  ///< start of its header
    uint64_t length;        ///< payload bytes
    uint16_t header;        ///< header bytes
    uint16_t framing;       ///< header bytes and the bytes after the payload
    uint32_t shard;

    [[nodiscard]] ByteView payload() const { return {framed + header, length}; }
  };

  /// Performs the first step of locating record `ordinal`. Does not touch the map. Returns false if there is no such
  /// record, or if its block is not ready.
  [[nodiscard]] bool Locate(uint64_t ordinal, Locator& locator) const;

  /// Performs the second step. Reads the map unless IsOwned(locator): in that case, call this in a guarded section, and
  /// trust the result only if the map has not changed. Returns false if the packed offsets are impossible.
  [[nodiscard]] static bool Find(const Locator& locator, Record& record);

  /// Returns true if the second step does not read the map.
  [[nodiscard]] static bool IsOwned(const Locator& locator);

  [[nodiscard]] static uint32_t ShardOf(const Locator& locator);

 private:
  enum class State : uint8_t { kNotReady, kBeingAdded, kReady };

  struct alignas(64) Block {
    const uint8_t* frames = nullptr;
    const uint8_t* packed = nullptr;
    const uint8_t* shard_bytes = nullptr;
    uint64_t first_record = 0;
    uint64_t begin = 0;
    uint64_t end = 0;  // at most the shard's size
    uint32_t records = 0;
    uint32_t shard = 0;
    uint8_t header_bytes = 0;
    uint8_t framing_bytes = 0;
    bool owned = false;
    std::atomic<State> state = State::kNotReady;  // kReady: the other fields are set and never change
  };

  /// The blocks of one cell of the map, in one word: 0 until the blocks are known; then the upper half is the number of
  /// the last block plus 1, and the lower half that of the first block.
  using Cell = std::atomic<uint64_t>;

  [[nodiscard]] bool AddCell(const OffsetMap& map, uint64_t cell);
  [[nodiscard]] uint64_t SearchBlocks(uint64_t ordinal, uint64_t low, uint64_t high) const;
  [[nodiscard]] uint64_t FirstRecord(uint64_t block) const {
    return first_records_[block].load(std::memory_order_relaxed);
  }

  uint64_t records_ = 0;  // in the map; 0 if there are no blocks_
  std::unique_ptr<Block[]> blocks_;
  std::unique_ptr<Cell[]> cells_;                           // by ordinal / kJumpRecords
  std::unique_ptr<std::atomic<uint64_t>[]> first_records_;  // by block, for blocks in known cells
};

// Searches the blocks of the ordinal's cell, starting with the first. Most blocks hold 65,536 records, so two steps
// nearly always suffice, and those two have no branch that the processor could mispredict.
inline bool HotBlockCache::Locate(uint64_t ordinal, Locator& locator) const {
  if (ordinal >= records_) return false;
  const uint64_t cell = cells_[ordinal / kJumpRecords].load(std::memory_order_acquire);
  if (cell == 0) return false;
  uint64_t number = cell & UINT32_MAX;
  const uint64_t last = (cell >> 32) - 1;
  for (int step = 0; step < 2; ++step) {
    const uint64_t next = std::min(number + 1, last);
    number = FirstRecord(next) <= ordinal ? next : number;
  }
  const uint64_t next = std::min(number + 1, last);
  const bool further = (next != number) & (FirstRecord(next) <= ordinal);
  if (further) [[unlikely]]
    number = SearchBlocks(ordinal, next, last);
  const Block& block = blocks_[number];
  if (block.state.load(std::memory_order_acquire) != State::kReady) return false;
  const uint64_t record = ordinal - block.first_record;
  if (record >= block.records) return false;
  locator = {.block = &block, .slot = PackedOffsets(block.frames, block.packed).SlotOf(static_cast<uint32_t>(record))};
  return true;
}

inline bool HotBlockCache::IsOwned(const Locator& locator) { return locator.block->owned; }
inline uint32_t HotBlockCache::ShardOf(const Locator& locator) { return locator.block->shard; }

inline bool HotBlockCache::Find(const Locator& locator, Record& record) {
  const Block& block = *locator.block;
  const auto [begin, end] = PackedOffsets::ExtentAt(locator.slot);
  if (begin < block.begin || end > block.end || end < begin || end - begin < block.framing_bytes) return false;
  record = {.framed = block.shard_bytes + begin,
            .length = end - begin - block.framing_bytes,
            .header = block.header_bytes,
            .framing = block.framing_bytes,
            .shard = block.shard};
  return true;
}

}  // namespace ofindex
