#include "index/walk/header_chain.h"

#include <algorithm>

#include "base/framing.h"
#include "base/text.h"
#include "index/walk/walk_range.h"

namespace ofindex {
namespace {

constexpr uint64_t kChainBufferBytes = 256 << 10;
constexpr uint64_t kHopBytes = 16;

// The size of the first read, which shows whether to read everything or only headers. In a shard of large records, no
// payload bytes beyond it are read in vain.
constexpr uint64_t kFirstBytes = 4 << 10;

// If records have this mean size or more, only their headers are read; below half of it, all bytes are read through the
// buffer. A pread of a header costs as much as copying some 8 to 16 KiB from the page cache; from a cold disk, it reads
// one page instead of the whole record.
constexpr uint64_t kHopFromBytes = 32 << 10;
constexpr uint32_t kHopsUntilBuffering = 8;

}  // namespace

tl::unexpected<Error> Shrunk(const ReadableBytes& bytes, uint64_t at) {
  return Fail(ErrorCode::kStale, StrCat(Printable(bytes.path()), "@", at, ": the file shrinks while it is read"),
              "run the command again when the file is no longer written to");
}

Result<HeaderChain::Halt> HeaderChain::Advance(uint64_t& position, std::vector<uint64_t>& starts, size_t limit,
                                               uint64_t stop_at, uint64_t empty_until) {
  const uint64_t header = HeaderBytes(framing_);
  for (;;) {
    const bool full = starts.size() >= limit || position >= stop_at;
    OFINDEX_ASSIGN(const bool reaches, Reaches(position + header));
    if (position == size_) return Halt::kEnd;
    if (full) return Halt::kFull;
    if (!reaches) return Halt::kHeader;
    if (position < window_begin_ || position + header > window_end_) OFINDEX_TRY(Refill(position));
    const Step step = framing_ == Framing::kTfRecord
                          ? WalkWindow<Framing::kTfRecord>(position, starts, limit, stop_at, empty_until)
                          : WalkWindow<Framing::kOfRecord>(position, starts, limit, stop_at, empty_until);
    if (visitor_ != nullptr) {
      const ByteView window = ByteView(buffer_).first(window_end_ - window_begin_);
      OFINDEX_TRY(visitor_->Visit(starts, position, window, window_begin_));
    }
    if (!step.halted) continue;
    if (step.beyond == 0) return step.halt;
    OFINDEX_ASSIGN(const bool known_now, Reaches(step.beyond));
    if (!known_now) return step.halt;
  }
}

// Returns true if the bytes reach `end`: the size of a compressed shard is unknown until it is inflated.
Result<bool> HeaderChain::Reaches(uint64_t end) {
  if (end <= size_) return true;
  OFINDEX_ASSIGN(size_, bytes_.Size(end));
  return end <= size_;
}

// Returns the end of a record of `length` payload bytes; UINT64_MAX on overflow.
uint64_t HeaderChain::EndOf(uint64_t begin, uint64_t length) const {
  const uint64_t overhead = FramingBytes(framing_);
  return length > kNowhere - overhead - begin ? kNowhere : begin + length + overhead;
}

// Walks while headers lie whole in the window; sets `halted` if the header at the position stops the chain.
template <Framing kFraming>
HeaderChain::Step HeaderChain::WalkWindow(uint64_t& position, std::vector<uint64_t>& starts, size_t limit,
                                          uint64_t stop_at, uint64_t empty_until) {
  constexpr uint64_t kHeader = HeaderBytes(kFraming);
  constexpr uint64_t kOverhead = FramingBytes(kFraming);
  const uint8_t* const bytes = buffer_.data();
  const uint64_t first = starts.size();
  const uint64_t last_header = std::min(window_end_ - kHeader, stop_at - 1);
  Step step{Halt::kFull, false, 0};
  uint64_t at = position;
  while (at <= last_header && starts.size() < limit) {
    const uint8_t* header = bytes + (at - window_begin_);
    const uint64_t length = LoadLe64(header);
    if (length > size_ || !Fits(at, length + kOverhead, size_)) step = {Halt::kHeader, true, EndOf(at, length)};
    if (kFraming == Framing::kTfRecord && !LengthCrcHolds(header)) step = {Halt::kHeader, true, 0};
    if (kFraming == Framing::kOfRecord && length == 0 && at >= empty_until) step = {Halt::kEmptyRun, true, 0};
    if (step.halted) break;
    starts.push_back(at);
    at += length + kOverhead;
  }
  position = at;
  window_records_ += starts.size() - first;
  return step;
}

Result<void> HeaderChain::Refill(uint64_t position) {
  Adapt(position);
  const uint64_t wanted = hopping_ ? kHopBytes : buffer_.empty() ? kFirstBytes : kChainBufferBytes;
  OFINDEX_TRY(Reaches(position + wanted));
  const uint64_t n = std::min(wanted, size_ - position);
  if (buffer_.size() < n) buffer_.resize(n);
  OFINDEX_ASSIGN(const size_t got, bytes_.ReadAt(position, std::span(buffer_).first(n)));
  if (got != n) return Shrunk(bytes_, position + got);
  window_begin_ = position;
  window_end_ = position + n;
  window_records_ = 0;
  return {};
}

// Chooses how to read from the record sizes in the previous window. This affects the speed, never the result.
void HeaderChain::Adapt(uint64_t position) {
  if (window_records_ == 0 || position <= window_begin_) return;
  const uint64_t mean = (position - window_begin_) / window_records_;
  if (!hopping_) {
    if (mean < kHopFromBytes) return;
    hopping_ = true;
    small_hops_ = 0;
    bytes_.Advise(File::Access::kRandom);
    return;
  }
  small_hops_ = mean < kHopFromBytes / 2 ? small_hops_ + 1 : 0;
  if (small_hops_ < kHopsUntilBuffering) return;
  hopping_ = false;
  bytes_.Advise(File::Access::kSequential);
}

}  // namespace ofindex
