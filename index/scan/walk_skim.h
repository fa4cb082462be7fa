#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "index/scan/block_skimmer.h"
#include "index/walk/header_chain.h"
#include "mmap/inflate/readable_bytes.h"

namespace ofindex {

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

}  // namespace ofindex
