#include "index/scan/block_pass.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/framing.h"
#include "index/scan/built_block.h"
#include "index/scan/file_pages.h"
#include "index/scan/forward_window.h"
#include "index/scan/large_shards.h"

namespace ofindex {
namespace {

// Small records are decoded in a buffer that fits the processor's cache.
constexpr uint64_t kWindowBytes = 256 << 10;

// Large records whose first pages are prefetched: a cold disk needs some thirty concurrent reads (design.md).
constexpr size_t kReadsAhead = 32;

class BlockReading {
 public:
  BlockReading(const ReadableBytes& bytes, Framing framing, std::span<const uint64_t> boundaries,
               BlockExtractor& extractor)
      : bytes_(bytes),
        framing_(framing),
        boundaries_(boundaries),
        extractor_(extractor),
        records_(boundaries.size() - 1),
        large_((boundaries.back() - boundaries.front()) / records_ >= kLargeRecordBytes),
        window_(bytes, large_ ? 0 : boundaries.back(), kWindowBytes) {}

  Result<void> ReadOne(size_t i) {
    const uint64_t begin = boundaries_[i] + HeaderBytes(framing_);
    const uint64_t length = boundaries_[i + 1] - boundaries_[i] - FramingBytes(framing_);
    if (large_ && i + kReadsAhead < records_) bytes_.WillNeed(boundaries_[i + kReadsAhead], FilePages::kPageBytes);
    if (large_ || length > kWindowBytes) return ReadPages(i, begin, length);
    ByteView payload;
    if (length != 0) {
      OFINDEX_ASSIGN(payload, window_.At(begin, length));
    }
    extractor_.Add(static_cast<uint32_t>(i), payload);
    return {};
  }

 private:
  Result<void> ReadPages(size_t i, uint64_t begin, uint64_t length) {
    FilePages pages(bytes_, begin, length, pages_);
    if (extractor_.Add(static_cast<uint32_t>(i), pages, length)) return {};
    return tl::unexpected(pages.TakeError());
  }

  const ReadableBytes& bytes_;
  const Framing framing_;
  const std::span<const uint64_t> boundaries_;
  BlockExtractor& extractor_;
  const size_t records_;
  const bool large_;
  ForwardWindow window_;
  std::vector<uint8_t> pages_;
};

}  // namespace

Result<BlockColumns> ExtractBlock(const ReadableBytes& bytes, Framing framing, std::span<const uint64_t> boundaries,
                                  BlockExtractor& extractor, const Progress& progress) {
  const size_t records = boundaries.empty() ? 0 : boundaries.size() - 1;
  if (records == 0) return BlockColumns();
  BlockReading reading(bytes, framing, boundaries, extractor);
  for (size_t i = 0; i < records; ++i) {
    if (progress.cancel) return Interrupted();
    OFINDEX_TRY(reading.ReadOne(i));
  }
  return extractor.Finish(static_cast<uint32_t>(records));
}

Result<void> ExtractingVisitor::Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window, uint64_t begin) {
  for (; extracted_ < starts.size(); ++extracted_) {
    const uint64_t next = extracted_ + 1 < starts.size() ? starts[extracted_ + 1] : end;
    const uint64_t payload = starts[extracted_] + HeaderBytes(framing_);
    const uint64_t length = next - starts[extracted_] - FramingBytes(framing_);
    if (payload >= begin && Fits(payload - begin, length, window.size())) {
      extractor_.Add(static_cast<uint32_t>(extracted_), window.subspan(payload - begin, length));
    } else {
      OFINDEX_TRY(ReadPages(payload, length));
    }
  }
  return {};
}

Result<void> ExtractingVisitor::ReadPages(uint64_t begin, uint64_t length) {
  FilePages pages(bytes_, begin, length, pages_);
  if (extractor_.Add(static_cast<uint32_t>(extracted_), pages, length)) return {};
  return tl::unexpected(pages.TakeError());
}

Result<BlockColumns> ExtractingVisitor::Finish(std::span<const uint64_t> boundaries) {
  const size_t records = boundaries.size() - 1;
  OFINDEX_TRY(Visit(boundaries.first(records), boundaries.back(), {}, 0));
  return extractor_.Finish(static_cast<uint32_t>(records));
}

PayloadVisitor::PayloadVisitor(const ReadableBytes& bytes, Framing framing, BlockExtractor* extractor, bool check)
    : bytes_(bytes) {
  if (extractor != nullptr) extractor_.emplace(bytes, framing, *extractor);
  if (check) checker_.emplace(bytes, framing, std::numeric_limits<uint64_t>::max());
}

Result<void> PayloadVisitor::Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window, uint64_t begin) {
  if (extractor_) OFINDEX_TRY(extractor_->Visit(starts, end, window, begin));
  if (!checker_) return {};
  for (; checked_ < starts.size(); ++checked_) {
    const uint64_t record_end = checked_ + 1 < starts.size() ? starts[checked_ + 1] : end;
    OFINDEX_TRY(checker_->Add(starts[checked_], record_end, std::nullopt));
  }
  return {};
}

Result<void> PayloadVisitor::Finish(std::span<const uint64_t> boundaries, BuiltBlock& block) {
  OFINDEX_TRY(Visit(boundaries.first(boundaries.size() - 1), boundaries.back(), {}, 0));
  if (extractor_) {
    OFINDEX_ASSIGN(block.columns, extractor_->Finish(boundaries));
  }
  if (!checker_) return {};
  return TakeFindings(std::move(checker_->findings()), bytes_.path(), boundaries, block);
}

}  // namespace ofindex
