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
#include "mmap/files/readable_bytes.h"

namespace ofindex {

class SegmentScout;

/// Zero bytes at the front of an OFRecord that are damage: one empty record may stand there, two are a lost head.
inline constexpr uint64_t kLeastZeroHead = 2 * kLengthBytes;

/// Walks a shard from header to header, past whatever is damaged, and cuts it into blocks. The outcome follows from the
/// bytes of the file alone, never from timing, threads or how the bytes were fetched.
///
/// Where a TFRecord's header cannot be believed, the walk goes on at the next record whose length and payload checksums
/// both hold. An OFRecord has no checksum to find its way by: there the walk ends. Two empty records at its front are
/// damage, anywhere else before its end they are empty records. Not thread-safe.
class ShardWalker {
 public:
  /// Walks `bytes`, which must outlive the walker, as `progress` must.
  ShardWalker(const ReadableBytes& bytes, Framing framing, const Progress& progress);

  /// Lets `scout`, which must outlive the walker, run ahead in the same file.
  void Follow(SegmentScout* scout) { scout_ = scout; }

  /// Fills `points` with where the records of the next block begin and, last, where the block ends: up to kBlockRecords
  /// records without a gap. Shows them to `visitor`, if there is one, but for those that a scout has walked. Returns
  /// false at the end of the shard. Errors: kIo; kStale  the file shrinks meanwhile; kInterrupted; the visitor's.
  [[nodiscard]] Result<bool> NextBlock(std::vector<uint64_t>& points, WalkVisitor* visitor = nullptr);

  /// Byte ranges that hold no record, ascending, as far as the walk has come.
  [[nodiscard]] const std::vector<DamagedRange>& damage() const { return damage_; }

  /// Where the walk stands, in bytes of the shard.
  [[nodiscard]] uint64_t position() const { return position_; }

 private:
  [[nodiscard]] Result<bool> Reaches(uint64_t end);
  [[nodiscard]] Result<HeaderChain::Halt> Advance(std::vector<uint64_t>& points);
  [[nodiscard]] Result<void> PassDamage();
  [[nodiscard]] Result<void> PassBadLengthCrc();
  [[nodiscard]] Result<void> MeasureZeros();
  void PassZeroHead();
  void EndWith(DamageReason reason);

  const ReadableBytes& bytes_;
  const Framing framing_;
  const Progress& progress_;
  uint64_t size_ = 0;  // of the bytes, as far as it is known
  HeaderChain chain_;
  std::optional<RecordSearch> search_;
  SegmentScout* scout_ = nullptr;
  uint64_t position_ = 0;
  uint64_t zeros_until_ = 0;    // all bytes from the position up to here are zero, if the position is before it
  uint64_t resync_budget_ = 0;  // bytes that may still be read to test candidates
  std::vector<DamagedRange> damage_;
};

}  // namespace ofindex
