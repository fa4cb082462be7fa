#include "query/sampling/sampler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {

Result<void> CheckSlice(const Slice& slice) {
  constexpr uint64_t kMaxReaders = uint64_t{1} << 20;
  if (std::max(slice.world, slice.workers) > kMaxReaders) {
    return Fail(ErrorCode::kUsage, StrCat("ranks and workers: expected at most ", FormatCount(kMaxReaders),
                                          " ranks, and as many workers of a rank"));
  }
  if (slice.rank >= slice.world) {
    return Fail(ErrorCode::kUsage,
                StrCat("rank ", slice.rank, " of ", slice.world, ": expected a rank below the world"),
                "ranks count from 0");
  }
  if (slice.worker >= slice.workers) {
    return Fail(ErrorCode::kUsage,
                StrCat("worker ", slice.worker, " of ", slice.workers, ": expected a worker below their number"),
                "workers count from 0");
  }
  return {};
}

Result<Sampler> Sampler::Of(GenerationRow generation, View view, SamplingMethod method, uint64_t seed,
                            const Slice& slice, Tail tail) {
  OFINDEX_TRY(CheckSlice(slice));
  return Sampler(std::move(generation), std::move(view), std::move(method), seed, slice, tail);
}

Sampler::Sampler(GenerationRow generation, View view, SamplingMethod method, uint64_t seed, const Slice& slice,
                 Tail tail)
    : generation_(std::move(generation)),
      view_(std::move(view)),
      method_(std::move(method)),
      seed_(seed),
      slice_(slice),
      tail_(tail) {
  BeginEpoch(0);
}

void Sampler::SetEpoch(uint64_t epoch) {
  if (const std::shared_ptr<const Sampler> newest = std::move(newest_)) *this = *newest;
  changes_.reset();
  BeginEpoch(epoch);
}

void Sampler::BeginEpoch(uint64_t epoch) {
  epoch_ = epoch;
  order_ = OrderOf(method_, view_.size(), seed_, epoch);
  Restart(0);
}

void Sampler::SeekTo(uint64_t position) { Restart(std::min(position, epoch_size())); }

void Sampler::SeekTo(uint64_t epoch, uint64_t position) {
  if (epoch != epoch_) BeginEpoch(epoch);
  SeekTo(position);
}

void Sampler::Restart(uint64_t position) {
  base_ = position;
  step_ = 0;
  ended_ = false;
  const uint64_t of_rank = StepsOfRank(slice_.rank);
  steps_ = of_rank > slice_.worker ? (of_rank - slice_.worker - 1) / slice_.workers + 1 : 0;
}

// Returns the number of records that a rank reads from where the ranks began.
uint64_t Sampler::StepsOfRank(uint64_t rank) const {
  const uint64_t left = epoch_size() - base_;
  switch (tail_) {
    case Tail::kPad: return (left + slice_.world - 1) / slice_.world;
    case Tail::kDrop: return left / slice_.world;
    case Tail::kExact: break;
  }
  return left > rank ? (left - rank - 1) / slice_.world + 1 : 0;
}

size_t Sampler::Next(std::span<uint64_t> out) {
  const size_t count = NextIndices(out);
  view_.Map(out.first(count));
  return count;
}

size_t Sampler::NextIndices(std::span<uint64_t> out) {
  const auto count = static_cast<size_t>(std::min<uint64_t>(out.size(), left()));
  const uint64_t stride = slice_.world * slice_.workers;
  const uint64_t first = base_ + slice_.rank + slice_.world * slice_.worker + step_ * stride;
  const uint64_t size = epoch_size();
  // Positions after the end belong to a padded tail; they start over, possibly more than once.
  const uint64_t within = first >= size ? 0 : std::min<uint64_t>((size - first - 1) / stride + 1, count);
  order_->Fill(first, stride, out.first(within));
  for (size_t i = within; i < count; ++i) order_->Fill((first + i * stride) % size, 1, out.subspan(i, 1));
  step_ += count;
  ended_ = ended_ || count < out.size();
  return count;
}

Sampler Sampler::Whole() const {
  Sampler whole = *this;
  whole.slice_ = {};
  whole.tail_ = Tail::kExact;
  whole.Restart(position());
  return whole;
}

uint64_t Sampler::position() const {
  if (ended_) return epoch_size();
  const uint64_t read = step_ * slice_.workers * slice_.world;
  const uint64_t left = epoch_size() - base_;
  return base_ + std::min(read, left);
}

Result<std::optional<uint64_t>> Sampler::PositionOf(uint64_t ordinal) const {
  const std::optional<uint64_t> index = view_.IndexOf(ordinal);
  if (!index) return std::nullopt;
  const std::optional<uint64_t> position = order_->PositionOf(*index);
  if (position) return position;
  return Fail(ErrorCode::kUsage, "the sampler draws with replacement: no record has a unique position in the epoch",
              "ask the sampler for the record at a position instead");
}

Result<std::optional<Sampler::Place>> Sampler::When(uint64_t ordinal) const {
  OFINDEX_ASSIGN(const std::optional<uint64_t> position, PositionOf(ordinal));
  if (!position || *position < base_) return std::nullopt;
  const Place place{*position, (*position - base_) % slice_.world, (*position - base_) / slice_.world};
  if (place.step >= StepsOfRank(place.rank)) return std::nullopt;
  return place;
}

SamplerState Sampler::State() const {
  SamplerState state;
  state.seed = seed_;
  state.epoch = epoch_;
  state.position = position();
  state.generation = generation_.number;
  state.records = generation_.records;
  state.dataset = generation_.fingerprint;
  state.selection = view_.Fingerprint();
  state.order = Describe(method_);
  return state;
}

}  // namespace ofindex
