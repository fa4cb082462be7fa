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
      tail_(tail),
      ranks_(ReadPositions(0), 0, slice.world, tail) {
  BeginEpoch(0);
}

void Sampler::SetEpoch(uint64_t epoch) {
  if (const std::shared_ptr<const Sampler> newest = std::move(newest_)) {
    std::vector<SkippedSteps> skipped = std::move(skipped_);
    *this = *newest;
    skipped_ = std::move(skipped);
  }
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
  ranks_ = RankSteps(PositionsOf(skipped_, epoch_, epoch_size()), position, slice_.world, tail_);
  step_ = 0;
  ended_ = false;
  const uint64_t of_rank = ranks_.StepsOf(slice_.rank);
  steps_ = of_rank > slice_.worker ? (of_rank - slice_.worker - 1) / slice_.workers + 1 : 0;
}

void Sampler::Skip(std::vector<SkippedSteps> skipped) {
  skipped_ = std::move(skipped);
  Restart(ranks_.begin());
}

size_t Sampler::Next(std::span<uint64_t> out) {
  const size_t count = NextIndices(out);
  view_.Map(out.first(count));
  return count;
}

size_t Sampler::NextIndices(std::span<uint64_t> out) {
  const auto count = static_cast<size_t>(std::min<uint64_t>(out.size(), left()));
  IndicesOf(slice_.rank, slice_.worker + step_ * slice_.workers, slice_.workers, out.first(count));
  step_ += count;
  ended_ = ended_ || count < out.size();
  return count;
}

void Sampler::IndicesOf(uint64_t rank, uint64_t first, uint64_t each, std::span<uint64_t> out) const {
  ranks_.ForEachRun(rank, first, each, out.size(), [&](uint64_t position, uint64_t stride, uint64_t count) {
    order_->Fill(position, stride, out.first(count));
    out = out.subspan(count);
  });
}

Sampler Sampler::Whole() const {
  Sampler whole = *this;
  whole.slice_ = {};
  whole.tail_ = Tail::kExact;
  whole.Restart(position());
  return whole;
}

uint64_t Sampler::position() const { return ended_ ? epoch_size() : ranks_.PositionAfter(step_ * slice_.workers); }

Result<std::vector<Sampler::Place>> Sampler::PlacesOf(uint64_t index, const std::atomic<bool>* cancel) const {
  std::vector<Place> places;
  OFINDEX_ASSIGN(const std::vector<uint64_t> positions, order_->PositionsOf(index, cancel));
  for (const uint64_t position : positions) {
    for (const RankSteps::Place& place : ranks_.PlacesOf(position)) {
      places.push_back({position, place.rank, place.step});
    }
  }
  return places;
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
  state.skipped = skipped_;
  return state;
}

}  // namespace ofindex
