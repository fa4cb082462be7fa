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
#include "index/scan/block_extractor.h"
#include "index/scan/built_block.h"
#include "index/walk/header_chain.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Passes the payloads of a block's records to `extractor`. `boundaries` are the record boundaries: the start of each
/// record, then the end of the last. Small records go through a buffer that stays in cache. For large records, only the
/// pages that the extractor requests are read, and those of the next records are prefetched. Memory is bounded for any
/// record size. Errors: kIo; kStale if the file ends inside the block; kInterrupted.
[[nodiscard]] Result<BlockColumns> ExtractBlock(const ReadableBytes& bytes, Framing framing,
                                                std::span<const uint64_t> boundaries, BlockExtractor& extractor,
                                                const Progress& progress);

/// Extracts columns from one block during the walk, from the bytes that the walk has read: small records are read once,
/// whereas ExtractBlock reads them a second time. Gives the same result as ExtractBlock. Not thread-safe.
class ExtractingVisitor final : public WalkVisitor {
 public:
  /// Extracts from one block of `bytes`. All arguments must outlive this object.
  ExtractingVisitor(const ReadableBytes& bytes, Framing framing, BlockExtractor& extractor)
      : bytes_(bytes), framing_(framing), extractor_(extractor) {}

  /// Errors: kIo; kStale if the file ends inside a record.
  [[nodiscard]] Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                   uint64_t begin) override;

  /// Ends the block with record boundaries `boundaries`: the start of each record, at least one, then the end of the
  /// last.
  /// Errors: those of Visit and BlockExtractor::Finish.
  [[nodiscard]] Result<BlockColumns> Finish(std::span<const uint64_t> boundaries);

 private:
  [[nodiscard]] Result<void> ReadPages(uint64_t begin, uint64_t length);

  const ReadableBytes& bytes_;
  const Framing framing_;
  BlockExtractor& extractor_;
  size_t extracted_ = 0;        // records of the block
  std::vector<uint8_t> pages_;  // of a record outside the window
};

/// Processes the payloads of one block during the walk: extracts columns, checks every byte, or both. For bytes that
/// are available now and expensive to get again. Not thread-safe.
class PayloadVisitor final : public WalkVisitor {
 public:
  /// `extractor` may be null. All arguments must outlive this object.
  PayloadVisitor(const ReadableBytes& bytes, Framing framing, BlockExtractor* extractor, bool check);

  /// Errors: those of ExtractingVisitor and BlockChecker.
  [[nodiscard]] Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                   uint64_t begin) override;

  /// Ends the block with record boundaries `boundaries`, the start of each record, at least one, then the end of the
  /// last, and adds the findings to `block`. Errors: those of Visit, ExtractingVisitor::Finish and TakeFindings.
  [[nodiscard]] Result<void> Finish(std::span<const uint64_t> boundaries, BuiltBlock& block);

 private:
  const ReadableBytes& bytes_;
  std::optional<ExtractingVisitor> extractor_;
  std::optional<BlockChecker> checker_;
  size_t checked_ = 0;  // records of the block
};

}  // namespace ofindex
