#include "query/sampling/length_batches.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

constexpr size_t kFetchedAtOnce = 1024;

// Returns true if a batch may have `records` records, of which the longest is `longest`, with a total of `sum`.
bool Fits(const BatchLimits& limits, uint64_t records, uint64_t longest, unsigned __int128 sum) {
  if (records > limits.records) return false;
  const unsigned __int128 all = limits.padded ? static_cast<unsigned __int128>(longest) * records : sum;
  return all <= limits.total;
}

}  // namespace

Result<bool> BatchSplitter::Next(std::vector<uint64_t>& batch) {
  batch.clear();
  uint64_t longest = 0;
  unsigned __int128 sum = 0;
  for (;;) {
    if (used_ == ordinals_.size()) {
      OFINDEX_ASSIGN(const bool more, Fetch());
      if (!more) return !batch.empty();
    }
    longest = std::max(longest, lengths_[used_]);
    sum += lengths_[used_];
    if (!batch.empty() && !Fits(limits_, batch.size() + 1, longest, sum)) return true;
    batch.push_back(ordinals_[used_++]);
  }
}

Result<bool> BatchSplitter::Fetch() {
  ordinals_.resize(kFetchedAtOnce);
  ordinals_.resize(sampler_.Next(ordinals_));
  lengths_.resize(ordinals_.size());
  used_ = 0;
  if (ordinals_.empty()) return false;
  OFINDEX_TRY(lengths_of_(ordinals_, lengths_));
  return true;
}

Result<LengthBatches> LengthBatches::Of(Sampler sampler, LengthsOf lengths, const BatchLimits& limits,
                                        const Slice& slice, Tail tail) {
  if (limits.total == 0 || limits.records == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("batches: the limit of ", limits.total == 0 ? "the total length" : "records",
                       " is 0; expected at least 1"),
                "give a total of at least 1");
  }
  OFINDEX_TRY(CheckSlice(slice));
  return LengthBatches(BatchSplitter(std::move(sampler), std::move(lengths), limits), slice, tail);
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
    OFINDEX_ASSIGN(const bool more, splitter_.Next(cut == slice_.rank ? batch : other));
    if (!more) break;
  }
  const bool whole = cut == slice_.world;
  if (cut == 0 || (!whole && tail_ == Tail::kDrop)) return false;
  ++step_;
  position_ = splitter_.position();
  if (slice_.rank < cut) return true;
  return tail_ == Tail::kPad ? Repeat(slice_.rank - cut, batch) : Result<bool>(false);
}

// Returns batch number `number` from the ranks' common start, or the last batch if there are fewer.
Result<bool> LengthBatches::Repeat(uint64_t number, std::vector<uint64_t>& batch) const {
  BatchSplitter again = begin_;
  std::vector<uint64_t> next;
  for (uint64_t i = 0; i <= number; ++i) {
    OFINDEX_ASSIGN(const bool more, again.Next(next));
    if (!more) break;
    batch.swap(next);
  }
  return !batch.empty();
}

}  // namespace ofindex
