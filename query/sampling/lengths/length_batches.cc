#include "query/sampling/lengths/length_batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "query/sampling/lengths/best_fit.h"

namespace ofindex {
namespace {

constexpr size_t kFetchedAtOnce = 1024;
constexpr uint64_t kMostSortedAtOnce = uint64_t{1} << 24;

// The positions of a row are numbered in 32 bits. A batch of more rows could not be held.
constexpr uint64_t kMaxRow = (uint64_t{1} << 31) - 1;
constexpr uint64_t kMaxRows = uint64_t{1} << 28;

// Returns true if a batch may have `records` records, of which the longest is `longest`, with a total of `sum`.
bool FitsLimits(const BatchLimits& limits, uint64_t records, uint64_t longest, unsigned __int128 sum) {
  if (records > limits.records) return false;
  const unsigned __int128 all = limits.padded ? static_cast<unsigned __int128>(longest) * records : sum;
  return all <= limits.total;
}

// The records of a window in the order in which they are read, as their places in the window, and the ends of batches.
struct OrderedWindow {
  std::vector<uint32_t> places;
  std::vector<uint64_t> ends;
};

// Sorts the records of a window by length, and cuts them into batches in the order of their first places.
OrderedWindow CutSorted(const BatchLimits& limits, std::span<const uint64_t> lengths) {
  std::vector<uint32_t> sorted(lengths.size());
  std::iota(sorted.begin(), sorted.end(), uint32_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](uint32_t a, uint32_t b) { return lengths[a] != lengths[b] ? lengths[a] < lengths[b] : a < b; });
  std::vector<std::span<const uint32_t>> batches;
  const std::span<const uint32_t> all(sorted);
  size_t begin = 0;
  unsigned __int128 sum = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const uint64_t length = lengths[sorted[i]];
    sum += length;
    if (i == begin || FitsLimits(limits, i - begin + 1, length, sum)) continue;
    batches.push_back(all.subspan(begin, i - begin));
    begin = i;
    sum = length;
  }
  batches.push_back(all.subspan(begin));
  std::sort(batches.begin(), batches.end(), [](auto a, auto b) { return a.front() < b.front(); });
  OrderedWindow window;
  window.places.reserve(sorted.size());
  for (const std::span<const uint32_t> one : batches) {
    window.places.insert(window.places.end(), one.begin(), one.end());
    window.ends.push_back(window.places.size());
  }
  return window;
}

// Packs the records of a window into rows, and orders them by row, in which they keep the order of their places.
OrderedWindow Pack(const BatchLimits& limits, std::span<const uint64_t> lengths) {
  const std::vector<uint32_t> rows = PackBestFit(lengths, {limits.total, limits.records});
  OrderedWindow window;
  for (const uint32_t row : rows) {
    if (row >= window.ends.size()) window.ends.resize(row + uint64_t{1});
    ++window.ends[row];
  }
  std::partial_sum(window.ends.begin(), window.ends.end(), window.ends.begin());
  std::vector<uint64_t> next(window.ends.size());  // place of the next record of each row
  std::copy(window.ends.begin(), window.ends.end() - 1, next.begin() + 1);
  window.places.resize(rows.size());
  for (uint32_t place = 0; place < rows.size(); ++place) window.places[next[rows[place]]++] = place;
  return window;
}

// Puts the values at `places` into the order of the places.
void Reorder(std::span<const uint32_t> places, std::vector<uint64_t>& values) {
  std::vector<uint64_t> ordered(places.size());
  std::transform(places.begin(), places.end(), ordered.begin(), [&](uint32_t place) { return values[place]; });
  values.swap(ordered);
}

// Refuses a record that no row has room for.
Result<void> CheckRoom(const BatchLimits& limits, std::span<const uint64_t> ordinals,
                       std::span<const uint64_t> lengths) {
  const auto longer = std::find_if(lengths.begin(), lengths.end(), [&](uint64_t n) { return n > limits.total; });
  if (longer == lengths.end()) return {};
  return Fail(ErrorCode::kUsage,
              StrCat("record ", ordinals[static_cast<size_t>(longer - lengths.begin())], " has a length of ",
                     FormatCount(*longer), "; expected at most ", FormatCount(limits.total), ", the length of a row"),
              "exclude longer records with --where, or pack longer rows");
}

Result<void> CheckRows(const BatchLimits& limits) {
  const RowBatches& shape = *limits.packed;
  if (limits.total > kMaxRow || shape.rows == 0 || shape.rows > kMaxRows) {
    return Fail(
        ErrorCode::kUsage,
        StrCat("rows of ", FormatCount(limits.total), " tokens in batches of ", FormatCount(shape.rows),
               "; expected at most ", FormatCount(kMaxRow), " tokens, and 1 to ", FormatCount(kMaxRows), " rows"),
        "pack shorter rows, or fewer at a time");
  }
  if (limits.window == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("packed rows: a window of 0 records; expected 1 to ", FormatCount(kMostSortedAtOnce)),
                StrCat("use a window such as ", FormatCount(BatchLimits::kPackWindow)));
  }
  if (limits.padded) {
    return Fail(ErrorCode::kUsage, StrCat("rows of ", limits.total, " tokens are packed; expected no padded batches"),
                "leave out one of the two");
  }
  return {};
}

Result<void> CheckBatchLimits(const BatchLimits& limits) {
  if (limits.total == 0 || limits.records == 0) {
    return Fail(ErrorCode::kUsage,
                StrCat("batches: the limit of ", limits.total == 0 ? "the total length" : "records",
                       " is 0; expected at least 1"),
                "give a total of at least 1");
  }
  if (limits.window > kMostSortedAtOnce) {
    return Fail(ErrorCode::kUsage,
                StrCat("batches: a window of ", FormatCount(limits.window), " records; expected at most ",
                       FormatCount(kMostSortedAtOnce)),
                "use a window of some thousand records");
  }
  return limits.packed ? CheckRows(limits) : Result<void>{};
}

}  // namespace

Result<bool> BatchSplitter::Next(LengthBatch& batch) {
  const size_t before = batch.ordinals.size();
  OFINDEX_ASSIGN(const bool more, limits_.window == 0 ? Cut(batch) : TakeFromWindow(batch));
  if (batch.ordinals.size() > before) batch.ends.push_back(batch.ordinals.size());
  return more;
}

// Moves the next record into `batch`.
void BatchSplitter::Take(LengthBatch& batch) {
  batch.ordinals.push_back(ordinals_[used_]);
  batch.lengths.push_back(lengths_[used_]);
  ++used_;
  ++position_;
}

// Appends the next records as long as they fit, in the order of the epoch.
Result<bool> BatchSplitter::Cut(LengthBatch& batch) {
  uint64_t records = 0;
  uint64_t longest = 0;
  unsigned __int128 sum = 0;
  for (;;) {
    if (used_ == ordinals_.size()) {
      OFINDEX_ASSIGN(const bool more, Fetch(kFetchedAtOnce));
      if (!more) return records > 0;
    }
    if (!positions_.Reads(position_)) {
      if (records > 0) return true;
      ++used_;
      ++position_;
      continue;
    }
    longest = std::max(longest, lengths_[used_]);
    sum += lengths_[used_];
    if (records > 0 && !FitsLimits(limits_, records + 1, longest, sum)) return true;
    Take(batch);
    ++records;
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

// Appends the rest of the window's current batch.
Result<bool> BatchSplitter::TakeFromWindow(LengthBatch& batch) {
  const size_t before = batch.ordinals.size();
  while (batch.ordinals.size() == before) {
    while (used_ == ordinals_.size()) {
      OFINDEX_ASSIGN(const bool more, CutWindow());
      if (!more) return false;
    }
    while (ends_.back() <= used_) ends_.pop_back();
    while (used_ < ends_.back()) {
      if (positions_.Reads(position_)) {
        Take(batch);
        continue;
      }
      ++used_;
      ++position_;
    }
  }
  return true;
}

// Draws the next window, cuts or packs it, and puts its records into the order of its batches.
Result<bool> BatchSplitter::CutWindow() {
  OFINDEX_ASSIGN(const bool more, Fetch(limits_.window));
  if (!more) return false;
  if (limits_.packed) OFINDEX_TRY(CheckRoom(limits_, ordinals_, lengths_));
  OrderedWindow window = limits_.packed ? Pack(limits_, lengths_) : CutSorted(limits_, lengths_);
  Reorder(window.places, ordinals_);
  Reorder(window.places, lengths_);
  // States lie at the ends of batches. With other lengths than those of the state, records would be read twice or
  // never.
  if (skipped_ < ordinals_.size() && skipped_ != 0 &&
      !std::binary_search(window.ends.begin(), window.ends.end(), skipped_)) {
    return Fail(ErrorCode::kStale,
                StrCat("position ", position_, ": it lies inside a ", limits_.packed ? "row" : "batch",
                       "; expected the end of one: the lengths of records are not those of the state"),
                "begin the next epoch without the state, or give the lengths that it was made with");
  }
  ends_ = std::move(window.ends);
  std::reverse(ends_.begin(), ends_.end());
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
                       limits.packed.value_or(RowBatches{}), slice, tail);
}

Result<bool> LengthBatches::Next(LengthBatch& batch) {
  for (;;) {
    const uint64_t step = step_;
    OFINDEX_ASSIGN(const bool more, NextStep(batch));
    if (!more) return false;
    if (step % slice_.workers == slice_.worker) return true;
  }
}

// Replaces `batch` by the next rows, as many as a batch has. Returns false if they are too few for a batch.
Result<bool> LengthBatches::NextRows(LengthBatch& batch) {
  batch.Clear();
  while (batch.ends.size() < shape_.rows) {
    OFINDEX_ASSIGN(const bool more, splitter_.Next(batch));
    if (!more) return !batch.ends.empty() && !shape_.drop_last;
  }
  return true;
}

// Cuts a batch for each rank, and keeps that of this rank.
Result<bool> LengthBatches::NextStep(LengthBatch& batch) {
  LengthBatch other;
  uint64_t cut = 0;
  for (; cut < slice_.world; ++cut) {
    LengthBatch& one = cut == slice_.rank ? batch : other;
    OFINDEX_ASSIGN(const bool more, NextRows(one));
    if (!more) break;
    if (step_ == 0 && tail_ == Tail::kPad) first_.push_back(one);
  }
  const bool whole = cut == slice_.world;
  if (slice_.rank >= cut || (!whole && tail_ == Tail::kDrop)) batch.Clear();
  if (cut == 0 || (!whole && tail_ == Tail::kDrop)) return false;
  ++step_;
  position_ = splitter_.position();
  if (slice_.rank < cut) return true;
  if (tail_ != Tail::kPad) return false;
  batch = first_[std::min<size_t>(slice_.rank - cut, first_.size() - 1)];
  return true;
}

}  // namespace ofindex
