#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/record.h"
#include "base/result.h"
#include "index/scan/block_check.h"
#include "index/scan/block_queue.h"
#include "index/scan/block_skimmer.h"
#include "index/scan/walk_skim.h"
#include "index/walk/header_chain.h"
#include "mmap/inflate/readable_bytes.h"

namespace ofindex {

/// Looks into the payloads of one block while it is walked: skims them, checks every byte, or both. For bytes that are
/// at hand now and dear later. Not thread-safe.
class WalkLook final : public WalkVisitor {
 public:
  /// `skimmer` may be null. All must outlive this.
  WalkLook(const ReadableBytes& bytes, Framing framing, BlockSkimmer* skimmer, bool check);

  /// Errors: those of WalkSkim and BlockChecker.
  [[nodiscard]] Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                   uint64_t begin) override;

  /// Ends the block of the records that begin at `points` and end at the last of them, and adds to `block` what was
  /// found. Errors: those of Visit, of WalkSkim::Finish and of TakeFindings.
  [[nodiscard]] Result<void> Finish(std::span<const uint64_t> points, BuiltBlock& block);

 private:
  const ReadableBytes& bytes_;
  std::optional<WalkSkim> skim_;
  std::optional<BlockChecker> checker_;
  size_t checked_ = 0;  // records of the block
};

}  // namespace ofindex
