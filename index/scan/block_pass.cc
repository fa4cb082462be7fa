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
  BlockReading(const ReadableBytes& bytes, Framing framing, std::span<const uint64_t> points, BlockSkimmer& skimmer)
      : bytes_(bytes),
        framing_(framing),
        points_(points),
        skimmer_(skimmer),
        records_(points.size() - 1),
        large_((points.back() - points.front()) / records_ >= kLargeRecordBytes),
        window_(bytes, large_ ? 0 : points.back(), kWindowBytes) {}

  Result<void> ReadOne(size_t i) {
    const uint64_t begin = points_[i] + HeaderBytes(framing_);
    const uint64_t length = points_[i + 1] - points_[i] - FramingBytes(framing_);
    if (large_ && i + kReadsAhead < records_) bytes_.WillNeed(points_[i + kReadsAhead], FilePages::kPageBytes);
    if (large_ || length > kWindowBytes) return ReadPages(i, begin, length);
    ByteView payload;
    if (length != 0) {
      OFINDEX_ASSIGN(payload, window_.At(begin, length));
    }
    skimmer_.Add(static_cast<uint32_t>(i), payload);
    return {};
  }

 private:
  Result<void> ReadPages(size_t i, uint64_t begin, uint64_t length) {
    FilePages pages(bytes_, begin, length, pages_);
    if (skimmer_.Add(static_cast<uint32_t>(i), pages, length)) return {};
    return tl::unexpected(pages.TakeError());
  }

  const ReadableBytes& bytes_;
  const Framing framing_;
  const std::span<const uint64_t> points_;
  BlockSkimmer& skimmer_;
  const size_t records_;
  const bool large_;
  ForwardWindow window_;
  std::vector<uint8_t> pages_;
};

}  // namespace

Result<BlockColumns> SkimBlock(const ReadableBytes& bytes, Framing framing, std::span<const uint64_t> points,
                               BlockSkimmer& skimmer, const Progress& progress) {
  const size_t records = points.empty() ? 0 : points.size() - 1;
  if (records == 0) return BlockColumns();
  BlockReading reading(bytes, framing, points, skimmer);
  for (size_t i = 0; i < records; ++i) {
    if (progress.cancel) return Interrupted();
    OFINDEX_TRY(reading.ReadOne(i));
  }
  return skimmer.Finish(static_cast<uint32_t>(records));
}

Result<void> WalkSkim::Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window, uint64_t begin) {
  for (; skimmed_ < starts.size(); ++skimmed_) {
    const uint64_t next = skimmed_ + 1 < starts.size() ? starts[skimmed_ + 1] : end;
    const uint64_t payload = starts[skimmed_] + HeaderBytes(framing_);
    const uint64_t length = next - starts[skimmed_] - FramingBytes(framing_);
    if (payload >= begin && Fits(payload - begin, length, window.size())) {
      skimmer_.Add(static_cast<uint32_t>(skimmed_), window.subspan(payload - begin, length));
    } else {
      OFINDEX_TRY(ReadPages(payload, length));
    }
  }
  return {};
}

Result<void> WalkSkim::ReadPages(uint64_t begin, uint64_t length) {
  FilePages pages(bytes_, begin, length, pages_);
  if (skimmer_.Add(static_cast<uint32_t>(skimmed_), pages, length)) return {};
  return tl::unexpected(pages.TakeError());
}

Result<BlockColumns> WalkSkim::Finish(std::span<const uint64_t> points) {
  const size_t records = points.size() - 1;
  OFINDEX_TRY(Visit(points.first(records), points.back(), {}, 0));
  return skimmer_.Finish(static_cast<uint32_t>(records));
}

WalkLook::WalkLook(const ReadableBytes& bytes, Framing framing, BlockSkimmer* skimmer, bool check) : bytes_(bytes) {
  if (skimmer != nullptr) skim_.emplace(bytes, framing, *skimmer);
  if (check) checker_.emplace(bytes, framing, std::numeric_limits<uint64_t>::max());
}

Result<void> WalkLook::Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window, uint64_t begin) {
  if (skim_) OFINDEX_TRY(skim_->Visit(starts, end, window, begin));
  if (!checker_) return {};
  for (; checked_ < starts.size(); ++checked_) {
    const uint64_t record_end = checked_ + 1 < starts.size() ? starts[checked_ + 1] : end;
    OFINDEX_TRY(checker_->Add(starts[checked_], record_end, std::nullopt));
  }
  return {};
}

Result<void> WalkLook::Finish(std::span<const uint64_t> points, BuiltBlock& block) {
  OFINDEX_TRY(Visit(points.first(points.size() - 1), points.back(), {}, 0));
  if (skim_) {
    OFINDEX_ASSIGN(block.columns, skim_->Finish(points));
  }
  if (!checker_) return {};
  return TakeFindings(std::move(checker_->findings()), bytes_.path(), points, block);
}

}  // namespace ofindex
