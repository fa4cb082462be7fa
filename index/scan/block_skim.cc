#include "index/scan/block_skim.h"

#include <algorithm>
#include <vector>

#include "base/framing.h"
#include "index/walk/file_pages.h"
#include "index/walk/forward_window.h"

namespace ofindex {
namespace {

// Records of this mean size are read by the page: half of it is what a pread of a page costs beside copying all of it.
constexpr uint64_t kLargeRecordBytes = 32 << 10;

// Small records are skimmed where they stay in the processor's own cache.
constexpr uint64_t kWindowBytes = 256 << 10;

// Large records whose first pages are asked for ahead: a cold disk wants some thirty reads at once (design.md).
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

}  // namespace ofindex
