#include "index/walk/speculative_scan.h"

#include <algorithm>

#include "base/allocation.h"
#include "index/walk/header_chain.h"
#include "index/walk/resync.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

// The size of a segment: of large records, enough to be worth a search for its first header; of small ones, as many as
// a thread walks in about half a millisecond.
constexpr uint64_t kMinStep = uint64_t{4} << 20;
constexpr uint64_t kMaxStep = uint64_t{64} << 20;
constexpr uint64_t kMinSmallStep = uint64_t{64} << 10;
constexpr uint64_t kSegmentRecords = kBlockRecords / 4;

// How far into a segment to search for a first header: larger records are too few to be worth scanning ahead.
constexpr uint64_t kAnchorBytes = uint64_t{4} << 20;

// A shard has at most about this many segments, each of which takes some memory for as long as the shard is walked.
constexpr uint64_t kMaxSegments = uint64_t{1} << 16;

// How many segments may be walked but not yet taken: so many for each chain, and at least so many. Each holds at most
// kBlockRecords positions.
constexpr size_t kChainWindow = 4;
constexpr size_t kMinWindow = 16;

uint64_t StepFor(uint64_t size, unsigned chains, uint64_t record_bytes) {
  const uint64_t step = std::clamp(size / (uint64_t{4} * std::max(1U, chains)), kMinStep, kMaxStep);
  if (record_bytes >= kMaxStep / kSegmentRecords) return step;
  return std::max(size / kMaxSegments, std::min(step, std::max(kMinSmallStep, record_bytes * kSegmentRecords)));
}

}  // namespace

SpeculativeScan::SpeculativeScan(const File& file, uint64_t size, unsigned chains, uint64_t record_bytes,
                                 const WalkRange& range)
    : bytes_(file, size),
      size_(size),
      step_(StepFor(size, chains, record_bytes)),
      window_(std::max(kMinWindow, kChainWindow * chains)),
      segments_(std::min(size, range.end) / step_ + 1),
      next_(range.begin / step_),
      needed_(next_) {}

uint64_t SpeculativeScan::SegmentEnd(uint64_t position) const {
  const uint64_t begin = position / step_ * step_;
  return size_ - begin <= step_ ? size_ : begin + step_;
}

void SpeculativeScan::Run() {
  while (const std::optional<size_t> index = Claim()) {
    auto outcome = WithMemory("a segment", [&]() -> Result<Segment> { return Walk(*index); });
    // Without memory for it, the walker covers this segment alone.
    Segment walked = outcome ? std::move(*outcome) : Segment();
    const std::lock_guard lock(mutex_);
    walked.state = State::kDone;
    segments_[*index] = std::move(walked);
    changed_.notify_all();
  }
}

void SpeculativeScan::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::optional<size_t> SpeculativeScan::Claim() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || next_ == segments_.size() || next_ < needed_ + window_; });
  // Segments that the walker has passed are not worth disk time.
  next_ = std::max(next_, needed_);
  if (stopped_ || next_ >= segments_.size()) return std::nullopt;
  segments_[next_].state = State::kTaken;
  return next_++;
}

SpeculativeScan::Segment SpeculativeScan::Walk(size_t index) const {
  Segment segment;
  const uint64_t begin = index * step_;
  const uint64_t end = SegmentEnd(begin);
  uint64_t position = begin;
  if (index != 0) {
    const auto anchor = RecordSearch(bytes_, size_).FindHeader(begin, std::min(end, begin + kAnchorBytes));
    // The walker will read the same bytes and report an error here.
    if (!anchor || !*anchor) return segment;
    position = (*anchor)->begin;
  }
  HeaderChain chain(bytes_, Framing::kTfRecord);
  static_cast<void>(chain.Advance(position, segment.starts, kBlockRecords, end));
  segment.end = position;
  return segment;
}

bool SpeculativeScan::Take(uint64_t& position, std::vector<uint64_t>& starts, size_t limit, uint64_t end) {
  const size_t index = position / step_;
  std::unique_lock lock(mutex_);
  if (index >= segments_.size()) return false;
  Forget(index);
  changed_.wait(lock, [&] { return segments_[index].state != State::kTaken; });
  const Segment& segment = segments_[index];
  const auto from = std::lower_bound(segment.starts.begin(), segment.starts.end(), position);
  if (from == segment.starts.end() || *from != position || position >= end || starts.size() >= limit) return false;
  const auto before_end = static_cast<size_t>(std::lower_bound(from, segment.starts.end(), end) - from);
  const auto to = from + static_cast<std::ptrdiff_t>(std::min(before_end, limit - starts.size()));
  starts.insert(starts.end(), from, to);
  position = to == segment.starts.end() ? segment.end : *to;
  return true;
}

void SpeculativeScan::Forget(size_t before) {
  for (; needed_ < before; ++needed_) segments_[needed_].starts = {};
  changed_.notify_all();
}

}  // namespace ofindex
