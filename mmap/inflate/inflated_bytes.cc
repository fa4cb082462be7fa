#include "mmap/inflate/inflated_bytes.h"

#include <algorithm>
#include <cstring>

#include "base/allocation.h"
#include "base/text.h"

namespace ofindex {
namespace {

// Maximum bytes in a span. Checkpoints are a few MiB apart, unless a deflate block is larger than that.
constexpr uint64_t kMaxSpanBytes = uint64_t{8} << 20;

}  // namespace

// Returns the last checkpoint at or before `offset`.
Result<size_t> InflatedBytes::CheckpointBefore(uint64_t offset) const {
  size_t low = 0;
  size_t high = checkpoints_.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    OFINDEX_ASSIGN(const Checkpoint checkpoint, checkpoints_.At(middle));
    if (checkpoint.position <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low != 0) return low - 1;
  return Fail(ErrorCode::kIndex, StrCat(Printable(file_->path()), ": the index has no checkpoint for this file"),
              "rebuild the index with `ofindex build --force`");
}

tl::unexpected<Error> InflatedBytes::OutOfOrder() const {
  return Fail(ErrorCode::kIndex, StrCat(Printable(path()), ": checkpoints out of order"));
}

// Returns the span that holds byte `offset`, inflated up to `end` or to its own end; null if it is busy.
Result<std::shared_ptr<const Span>> InflatedBytes::SpanAt(uint64_t offset, uint64_t end, Span::IfBusy if_busy) const {
  return WithMemory("inflated bytes", [&]() -> Result<std::shared_ptr<const Span>> {
    OFINDEX_ASSIGN(const size_t number, CheckpointBefore(offset));
    OFINDEX_ASSIGN(const Checkpoint checkpoint, checkpoints_.At(number));
    if (checkpoint.position > offset) return OutOfOrder();  // it has changed since it was found
    uint64_t next = facts_.inflated_bytes;
    if (number + 1 < checkpoints_.size()) {
      OFINDEX_ASSIGN(const Checkpoint behind, checkpoints_.At(number + 1));
      next = std::min(next, behind.position);
    }
    const uint64_t begin = checkpoint.position + (offset - checkpoint.position) / kMaxSpanBytes * kMaxSpanBytes;
    const uint64_t span_end = std::max(std::min(next, begin + kMaxSpanBytes), offset + 1);
    // The span before the new one is kept alive while room is made, because its inflater continues in the new span.
    std::shared_ptr<Span> before;
    if (begin != checkpoint.position) before = cache_.Find({shard_, state_, begin - kMaxSpanBytes});
    const std::shared_ptr<Span> span = cache_.Get({shard_, state_, begin}, span_end);
    if (before) before->TransferInflater(*span);
    if (offset >= span->end()) return OutOfOrder();
    const bool continues = span->end() - begin == kMaxSpanBytes;
    OFINDEX_ASSIGN(const bool there,
                   span->InflateTo(std::min(end, span->end()),
                                   {*file_, facts_.file_bytes, facts_.compression, checkpoint, continues}, if_busy));
    return there ? span : nullptr;
  });
}

Result<size_t> InflatedBytes::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  std::shared_ptr<const Span> last;
  OFINDEX_ASSIGN(const std::optional<size_t> got, Read(offset, out, Span::IfBusy::kWait, last));
  return got.value_or(0);
}

Result<std::optional<size_t>> InflatedBytes::Read(uint64_t offset, std::span<uint8_t> out, Span::IfBusy if_busy,
                                                  std::shared_ptr<const Span>& last) const {
  if (offset >= facts_.inflated_bytes) return size_t{0};
  const uint64_t n = std::min<uint64_t>(out.size(), facts_.inflated_bytes - offset);
  if (last && offset >= last->begin() && offset + n <= last->inflated_end()) {
    std::memcpy(out.data(), last->bytes() + (offset - last->begin()), n);
    return n;
  }
  for (uint64_t done = 0; done < n;) {
    OFINDEX_ASSIGN(last, SpanAt(offset + done, offset + n, if_busy));
    if (!last) return std::nullopt;
    const uint64_t from = offset + done - last->begin();
    const uint64_t some = std::min(n - done, last->end() - last->begin() - from);
    std::memcpy(out.data() + done, last->bytes() + from, some);
    done += some;
  }
  return n;
}

}  // namespace ofindex
