#include "index/scan/walk_skim.h"

#include "base/framing.h"
#include "index/walk/file_pages.h"

namespace ofindex {

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

}  // namespace ofindex
