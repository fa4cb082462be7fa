#include "index/walk/walker.h"

#include <algorithm>
#include <array>
#include <limits>

#include "index/walk/speculative_scan.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

// Records between two checks for cancellation: on a cold disk, where each record is a wait, well under a second.
constexpr size_t kStrideRecords = 4096;

// Bytes read at first to measure a run of zero bytes.
constexpr uint64_t kFirstZeroBytes = 64;

}  // namespace

ShardWalker::ShardWalker(const ReadableBytes& bytes, Framing framing, const Progress& progress, uint64_t segment_bytes)
    : bytes_(bytes), framing_(framing), progress_(progress), segment_bytes_(segment_bytes), chain_(bytes, framing) {}

void ShardWalker::Enter(const WalkRange& range) {
  range_ = range;
  if (range.begin == 0) range_.entry = WalkEntry{};
  position_ = range_.entry ? range_.entry->position : range_.begin;
}

// Finds where to enter the range; leaves it at once if there is no header.
Result<void> ShardWalker::FindEntry() {
  OFINDEX_TRY(Reaches(kNowhere));
  const uint64_t end = std::min(range_.end, size_);
  range_.entry = WalkEntry{.position = kNowhere};
  if (range_.begin >= end) return {};
  OFINDEX_ASSIGN(const auto header, RecordSearch(bytes_, size_).FindHeader(range_.begin, end));
  if (header) range_.entry->position = header->begin;
  position_ = header ? header->begin : end;
  return {};
}

WalkedRange ShardWalker::walked() const {
  return {.first = range_.entry ? range_.entry->position : kNowhere, .next = position_, .tested = tested_};
}

// Returns the position at or after which no record belongs to the block of `boundaries`.
uint64_t ShardWalker::BlockEnd(const std::vector<uint64_t>& boundaries) const {
  const uint64_t begin = boundaries.empty() ? position_ : boundaries.front();
  return std::min(range_.end, (begin / segment_bytes_ + 1) * segment_bytes_);
}

// Returns true if the bytes reach `end`: the size of a compressed shard is unknown until it is inflated.
Result<bool> ShardWalker::Reaches(uint64_t end) {
  if (end <= size_) return true;
  OFINDEX_ASSIGN(size_, bytes_.Size(end));
  return end <= size_;
}

Result<bool> ShardWalker::NextBlock(std::vector<uint64_t>& boundaries, WalkVisitor* visitor) {
  boundaries.clear();
  chain_.ShowTo(visitor);
  if (!range_.entry) OFINDEX_TRY(FindEntry());
  for (;;) {
    if (position_ >= range_.end || range_.entry->position == kNowhere) return false;
    OFINDEX_ASSIGN(const bool more, Reaches(position_ + 1));
    if (!more) return false;
    OFINDEX_ASSIGN(const HeaderChain::Halt halt, Advance(boundaries));
    if (halt == HeaderChain::Halt::kEmptyRun) {
      OFINDEX_TRY(MeasureZeros());
      if (zeros_until_ < size_ && position_ == 0 && zeros_until_ >= kMinZeroHead) PassZeroHead();
      if (zeros_until_ < size_) continue;
    }
    if (!boundaries.empty()) {
      boundaries.push_back(position_);
      return true;
    }
    OFINDEX_TRY(PassDamage());
  }
}

// Advances by a block's worth of records, or to whatever stops the chain.
Result<HeaderChain::Halt> ShardWalker::Advance(std::vector<uint64_t>& boundaries) {
  const uint64_t block_end = BlockEnd(boundaries);
  for (;;) {
    if (progress_.cancel) return Interrupted();
    if (scan_ != nullptr && scan_->Take(position_, boundaries, kBlockRecords, block_end)) continue;
    if (boundaries.size() == kBlockRecords || position_ >= block_end) return HeaderChain::Halt::kFull;
    const size_t limit = std::min<size_t>(kBlockRecords, boundaries.size() + kStrideRecords);
    const uint64_t stop_at = scan_ == nullptr ? block_end : std::min(block_end, scan_->SegmentEnd(position_));
    const uint64_t empty_until = zeros_until_ == size_ ? 0 : zeros_until_;
    OFINDEX_ASSIGN(const HeaderChain::Halt halt, chain_.Advance(position_, boundaries, limit, stop_at, empty_until));
    if (halt != HeaderChain::Halt::kFull || boundaries.size() == kBlockRecords) return halt;
  }
}

// Called at an untrusted header, after the records before it were delivered.
Result<void> ShardWalker::PassDamage() {
  // A damage report includes where the bytes end.
  OFINDEX_TRY(Reaches(kNowhere));
  if (position_ == size_) return {};
  if (size_ - position_ < HeaderBytes(framing_) || (position_ < zeros_until_ && zeros_until_ == size_)) {
    EndWith(DamageReason::kTornTail);
    return {};
  }
  std::array<uint8_t, kMaxHeaderBytes> header{};
  OFINDEX_ASSIGN(const size_t got, bytes_.ReadAt(position_, std::span(header).first(HeaderBytes(framing_))));
  if (got != HeaderBytes(framing_)) return Shrunk(bytes_, position_ + got);
  if (framing_ == Framing::kTfRecord && !LengthCrcHolds(header.data())) return PassBadLengthCrc();
  // A length that leads out of the file means that a writer was interrupted, if a protobuf message can be that long or,
  // for a length with a correct checksum, if a file can be that large.
  const uint64_t plausible = static_cast<uint64_t>(
      framing_ == Framing::kTfRecord ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int32_t>::max());
  EndWith(LoadLe64(header.data()) <= plausible ? DamageReason::kTornTail : DamageReason::kBadLength);
  return {};
}

Result<void> ShardWalker::PassBadLengthCrc() {
  OFINDEX_TRY(MeasureZeros());
  if (zeros_until_ == size_) {
    EndWith(DamageReason::kTornTail);
    return {};
  }
  if (!search_) {
    search_.emplace(bytes_, size_);
    resync_budget_ = ResyncBudget(size_) - std::min(ResyncBudget(size_), range_.entry->tested);
  }
  if (damage_.size() >= kMaxGaps) {
    EndWith(DamageReason::kResyncLimit);
    return {};
  }
  const uint64_t budget = resync_budget_;
  OFINDEX_ASSIGN(const RecordSearch::Outcome next, search_->FindRecord(position_ + 1, size_, resync_budget_));
  tested_ += budget - resync_budget_;
  if (!next.found) {
    EndWith(next.gave_up ? DamageReason::kResyncLimit : DamageReason::kBadLengthCrc);
    return {};
  }
  damage_.push_back({position_, *next.found, DamageReason::kBadLengthCrc});
  position_ = *next.found;
  return {};
}

// Finds the end of the run of zero bytes at the position. The end is remembered, so that each byte of a file is read
// once; this matters only for OFRecord, in which zero bytes are empty records. Most runs are short, and a hostile file
// may have one every few bytes, so little is read at first.
Result<void> ShardWalker::MeasureZeros() {
  std::array<uint8_t, 16 << 10> buffer;
  uint64_t at = std::max(position_, zeros_until_);
  for (uint64_t n = kFirstZeroBytes;; n = std::min<uint64_t>(2 * n, buffer.size())) {
    OFINDEX_ASSIGN(const bool more, Reaches(at + 1));
    if (!more) break;
    const std::span<uint8_t> part = std::span(buffer).first(std::min(n, size_ - at));
    OFINDEX_ASSIGN(const size_t got, bytes_.ReadAt(at, part));
    if (got == 0) return Shrunk(bytes_, at);
    const auto end = part.begin() + static_cast<std::ptrdiff_t>(got);
    const auto nonzero = std::find_if(part.begin(), end, [](uint8_t byte) { return byte != 0; });
    at += static_cast<uint64_t>(nonzero - part.begin());
    if (nonzero != end) break;
  }
  zeros_until_ = at;
  return {};
}

// Zero bytes at the front of an OFRecord file are a lost head: no writer begins with a record that stops its readers.
void ShardWalker::PassZeroHead() {
  position_ = zeros_until_ / kLengthBytes * kLengthBytes;
  damage_.push_back({0, position_, DamageReason::kZeroHead});
}

void ShardWalker::EndWith(DamageReason reason) {
  damage_.push_back({position_, size_, reason});
  position_ = size_;
}

}  // namespace ofindex
