#include "query/sampling/length_batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kFetchedAtOnce = 1024;
constexpr uint64_t kMostSortedAtOnce = uint64_t{1} << 24;

// Returns true if a batch may have `records` records, of which the longest is `longest`, with a total of `sum`.
bool Fits(const BatchLimits& limits, uint64_t records, uint64_t longest, unsigned __int128 sum) {
  if (records > limits.records) return false;
  const unsigned __int128 all = limits.padded ? static_cast<unsigned __int128>(longest) * records : sum;
  return all <= limits.total;
}

// Cuts `sorted`, the places of records in ascending order of their lengths, and returns the batches in the order of
// their first places.
std::vector<std::span<const uint32_t>> CutSorted(const BatchLimits& limits, std::span<const uint32_t> sorted,
                                                 std::span<const uint64_t> lengths) {
  std::vector<std::span<const uint32_t>> batches;
  size_t begin = 0;
  unsigned __int128 sum = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const uint64_t length = lengths[sorted[i]];
    sum += length;
    if (i == begin || Fits(limits, i - begin + 1, length, sum)) continue;
    batches.push_back(sorted.subspan(begin, i - begin));
    begin = i;
    sum = length;
  }
  batches.push_back(sorted.subspan(begin));
  std::sort(batches.begin(), batches.end(), [](auto a, auto b) { return a.front() < b.front(); });
  return batches;
}

Result<void> CheckBatchLimits(const BatchLimits& limits) {
  if (limits.total == 0 || limits.records == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("batches: the limit of ", limits.total == 0 ? "the total length" : "records",
                       " is 0; expected at least 1"),
                "give a total of at least 1");
  }
  if (limits.window > kMostSortedAtOnce) {
    return Fail(ErrorCode::kUsage, StrCat("batches: a window of ", FormatCount(limits.window),
                                          " records; expected at most ", FormatCount(kMostSortedAtOnce)));
  }
  return {};
}

}  // namespace

Result<bool> BatchSplitter::Next(std::vector<uint64_t>& batch) {
  batch.clear();
  return limits_.window == 0 ? Cut(batch) : TakeFromWindow(batch);
}

// Appends the next records as long as they fit, in the order of the epoch.
Result<bool> BatchSplitter::Cut(std::vector<uint64_t>& batch) {
  uint64_t longest = 0;
  unsigned __int128 sum = 0;
  for (;;) {
    if (used_ == ordinals_.size()) {
      OFINDEX_ASSIGN(const bool more, Fetch(kFetchedAtOnce));
      if (!more) return !batch.empty();
    }
    if (!positions_.Reads(position_)) {
      if (!batch.empty()) return true;
      ++used_;
      ++position_;
      continue;
    }
    longest = std::max(longest, lengths_[used_]);
    sum += lengths_[used_];
    if (!batch.empty() && !Fits(limits_, batch.size() + 1, longest, sum)) return true;
    batch.push_back(ordinals_[used_++]);
    ++position_;
  }
}

// Draws the next ordinals, and looks up their lengths.
Result<bool> BatchSplitter::Fetch(uint64_t count) {
  used_ = 0;
  ordinals_.resize(ended_ ? 0 : count);
  if (!ended_) {
    OFINDEX_ASSIGN(const size_t drawn, order_(ordinals_));
    ended_ = drawn < count;
    ordinals_.resize(drawn);
  }
  lengths_.resize(ordinals_.size());
  if (ordinals_.empty()) return false;
  OFINDEX_TRY(lengths_of_(ordinals_, lengths_));
  return true;
}

// Appends the rest of the window's current batch. A position inside a batch, which a state of whole batches does not
// have, leaves the rest of that batch.
Result<bool> BatchSplitter::TakeFromWindow(std::vector<uint64_t>& batch) {
  while (batch.empty()) {
    while (used_ == ordinals_.size()) {
      OFINDEX_ASSIGN(const bool more, CutWindow());
      if (!more) return false;
    }
    while (ends_.back() <= used_) ends_.pop_back();
    for (; used_ < ends_.back(); ++used_, ++position_) {
      if (positions_.Reads(position_)) batch.push_back(ordinals_[used_]);
    }
  }
  return true;
}

// Draws the next window, cuts it, and puts its records into the order of its batches.
Result<bool> BatchSplitter::CutWindow() {
  OFINDEX_ASSIGN(const bool more, Fetch(limits_.window));
  if (!more) return false;
  std::vector<uint32_t> sorted(ordinals_.size());
  std::iota(sorted.begin(), sorted.end(), uint32_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [this](uint32_t a, uint32_t b) { return lengths_[a] != lengths_[b] ? lengths_[a] < lengths_[b] : a < b; });
  const std::vector<std::span<const uint32_t>> batches = CutSorted(limits_, sorted, lengths_);
  std::vector<uint64_t> taken;
  taken.reserve(ordinals_.size());
  ends_.clear();
  for (const std::span<const uint32_t> one : batches) {
    for (const uint32_t place : one) taken.push_back(ordinals_[place]);
    ends_.push_back(taken.size());
  }
  std::reverse(ends_.begin(), ends_.end());
  ordinals_ = std::move(taken);
  used_ = std::min<size_t>(std::exchange(skipped_, 0), ordinals_.size());
  return true;
}

Result<LengthBatches> LengthBatches::Of(Sampler sampler, LengthsOf lengths, const BatchLimits& limits,
                                        const Slice& slice, Tail tail) {
  const uint64_t position = sampler.position();
  ReadPositions positions = sampler.ranks().positions();
  sampler.Skip({});
  sampler.SeekTo(limits.OrderBegin(position));
  WholeOrder order = [sampler = std::move(sampler)](std::span<uint64_t> out) mutable -> Result<size_t> {
    return sampler.Next(out);
  };
  return Of(std::move(order), position, std::move(positions), std::move(lengths), limits, slice, tail);
}

Result<LengthBatches> LengthBatches::Of(WholeOrder order, uint64_t position, ReadPositions positions, LengthsOf lengths,
                                        const BatchLimits& limits, const Slice& slice, Tail tail) {
  OFINDEX_TRY(CheckBatchLimits(limits));
  OFINDEX_TRY(CheckSlice(slice));
  return LengthBatches(BatchSplitter(std::move(order), position, std::move(positions), std::move(lengths), limits),
                       slice, tail);
}

Result<bool> LengthBatches::Next(std::vector<uint64_t>& batch) {
  for (;;) {
    const uint64_t step = step_;
    OFINDEX_ASSIGN(const bool more, NextStep(batch));
    if (!more) return false;
    if (step % slice_.workers == slice_.worker) return true;
  }
}

// Cuts a batch for each rank, and keeps that of this rank.
Result<bool> LengthBatches::NextStep(std::vector<uint64_t>& batch) {
  std::vector<uint64_t> other;
  uint64_t cut = 0;
  for (; cut < slice_.world; ++cut) {
    std::vector<uint64_t>& one = cut == slice_.rank ? batch : other;
    OFINDEX_ASSIGN(const bool more, splitter_.Next(one));
    if (!more) break;
    if (step_ == 0 && tail_ == Tail::kPad) first_.push_back(one);
  }
  const bool whole = cut == slice_.world;
  if (slice_.rank >= cut || (!whole && tail_ == Tail::kDrop)) batch.clear();
  if (cut == 0 || (!whole && tail_ == Tail::kDrop)) return false;
  ++step_;
  position_ = splitter_.position();
  if (slice_.rank < cut) return true;
  if (tail_ != Tail::kPad) return false;
  batch = first_[std::min<size_t>(slice_.rank - cut, first_.size() - 1)];
  return true;
}

}  // namespace ofindex
