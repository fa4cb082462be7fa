#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/framing.h"
#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "index/catalog/damage.h"
#include "index/walk/header_chain.h"
#include "index/walk/resync.h"
#include "index/walk/walk_range.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

class SpeculativeScan;

/// Zero bytes at the front of an OFRecord shard that count as damage: one empty record is valid there, two are a lost
/// head.
inline constexpr uint64_t kMinZeroHead = 2 * kLengthBytes;

/// Gaps in one shard above which it is not a damaged shard but something else: bounds memory.
inline constexpr size_t kMaxGaps = size_t{1} << 20;

/// Walks a shard, or a range of it, from header to header, skipping damage, and cuts it into blocks. The result depends
/// on the bytes of the file alone, never on timing, threads or how the bytes were read.
///
/// If a TFRecord's header cannot be trusted, the walk continues at the next record whose length and payload checksums
/// are both correct. OFRecords have no checksum to resynchronize by: the walk ends there. Two empty records at the
/// front of an OFRecord shard are damage; anywhere else before its end they are empty records. Not thread-safe.
class ShardWalker {
 public:
  /// Walks `bytes`, in segments of `segment_bytes`. `bytes` and `progress` must outlive the walker.
  ShardWalker(const ReadableBytes& bytes, Framing framing, const Progress& progress, uint64_t segment_bytes = kNowhere);

  /// Walks only the records that begin in `range`, of a TFRecord shard. Call it before the first block.
  void Enter(const WalkRange& range);

  /// Uses the records that `scan` finds ahead in the same file. `scan` must outlive the walker.
  void Follow(SpeculativeScan* scan) { scan_ = scan; }

  /// Sets `boundaries` to the record boundaries of the next block: the start of each record, then the end of the block.
  /// A block has up to kBlockRecords records of one segment without a gap. Passes the records to `visitor`, if given,
  /// except those that the speculative scan has walked. Returns false at the end of the shard or range. Errors: kIo;
  /// kStale if the file shrank during the walk; kInterrupted; those of the visitor.
  [[nodiscard]] Result<bool> NextBlock(std::vector<uint64_t>& boundaries, WalkVisitor* visitor = nullptr);

  /// Returns the byte ranges that hold no record, ascending, as far as the walk has come.
  [[nodiscard]] const std::vector<DamagedRange>& damage() const { return damage_; }

  /// Returns the position of the walk, in bytes of the shard.
  [[nodiscard]] uint64_t position() const { return position_; }

  /// Returns where the walk has begun and ended, if it has ended.
  [[nodiscard]] WalkedRange walked() const;

 private:
  [[nodiscard]] Result<void> FindEntry();
  [[nodiscard]] uint64_t BlockEnd(const std::vector<uint64_t>& boundaries) const;
  [[nodiscard]] Result<bool> Reaches(uint64_t end);
  [[nodiscard]] Result<HeaderChain::Halt> Advance(std::vector<uint64_t>& boundaries);
  [[nodiscard]] Result<void> PassDamage();
  [[nodiscard]] Result<void> PassBadLengthCrc();
  [[nodiscard]] Result<void> MeasureZeros();
  void PassZeroHead();
  void EndWith(DamageReason reason);

  const ReadableBytes& bytes_;
  const Framing framing_;
  const Progress& progress_;
  const uint64_t segment_bytes_;
  WalkRange range_ = {.begin = 0, .end = kNowhere, .entry = WalkEntry{}};
  uint64_t size_ = 0;  // of the bytes, as far as known
  HeaderChain chain_;
  std::optional<RecordSearch> search_;
  SpeculativeScan* scan_ = nullptr;
  uint64_t position_ = 0;
  uint64_t zeros_until_ = 0;    // all bytes from the position up to here are zero, if the position is before it
  uint64_t resync_budget_ = 0;  // bytes that may still be read to test candidates
  uint64_t tested_ = 0;         // bytes read to test them
  std::vector<DamagedRange> damage_;
};

}  // namespace ofindex
