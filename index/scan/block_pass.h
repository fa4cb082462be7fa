#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "index/scan/block_check.h"
#include "index/scan/block_skimmer.h"
#include "index/scan/built_block.h"
#include "index/walk/header_chain.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Gives the payloads of a block's records, which begin at `points` and end at the last of them, to `skimmer`. Small
/// records pass through a buffer that stays in cache; of large ones the pages that the skimmer asks for are read, those
/// of the next records on their way meanwhile. Memory is bounded, whatever the records' size.
/// Errors: kIo; kStale  the file ends inside the block; kInterrupted.
[[nodiscard]] Result<BlockColumns> SkimBlock(const ReadableBytes& bytes, Framing framing,
                                             std::span<const uint64_t> points, BlockSkimmer& skimmer,
                                             const Progress& progress);

/// Skims the records of one block while it is walked, out of the bytes that the walk has read: small records are read
/// once, where SkimBlock reads them a second time. Says the same as SkimBlock. Not thread-safe.
class WalkSkim final : public WalkVisitor {
 public:
  /// Of a block of `file`. All must outlive this.
  WalkSkim(const ReadableBytes& bytes, Framing framing, BlockSkimmer& skimmer)
      : bytes_(bytes), framing_(framing), skimmer_(skimmer) {}

  /// Errors: kIo; kStale  the file ends inside a record.
  [[nodiscard]] Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                   uint64_t begin) override;

  /// Ends the block of the records that begin at `points` and end at the last of them, at least one. Errors: those of
  /// Visit, and of BlockSkimmer::Finish.
  [[nodiscard]] Result<BlockColumns> Finish(std::span<const uint64_t> points);

 private:
  [[nodiscard]] Result<void> ReadPages(uint64_t begin, uint64_t length);

  const ReadableBytes& bytes_;
  const Framing framing_;
  BlockSkimmer& skimmer_;
  size_t skimmed_ = 0;          // records of the block
  std::vector<uint8_t> pages_;  // of a record that was not at hand
};

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
