#include "query/sampling/steps/rank_steps.h"

#include <utility>

namespace ofindex {

RankSteps::RankSteps(ReadPositions positions, uint64_t begin, uint64_t world, Tail tail)
    : positions_(std::move(positions)),
      begin_(std::min(begin, positions_.size())),
      world_(world),
      tail_(tail),
      before_(positions_.Before(begin_)),
      left_(positions_.count() - before_) {}

uint64_t RankSteps::StepsOf(uint64_t rank) const {
  switch (tail_) {
    case Tail::kPad: return left_ / world_ + (left_ % world_ != 0 ? 1 : 0);
    case Tail::kDrop: return left_ / world_;
    case Tail::kExact: break;
  }
  return left_ > rank ? (left_ - rank - 1) / world_ + 1 : 0;
}

uint64_t RankSteps::PositionAfter(uint64_t steps) const {
  if (steps == 0) return begin_;
  return positions_.At(steps > left_ / world_ ? positions_.count() : before_ + steps * world_);
}

uint64_t RankSteps::CountBefore(uint64_t position) const {
  return std::max(positions_.Before(position), before_) - before_;
}

std::vector<RankSteps::Place> RankSteps::PlacesOf(uint64_t position) const {
  std::vector<Place> places;
  if (!positions_.Reads(position)) return places;
  const uint64_t number = positions_.Before(position);
  const auto add = [&](uint64_t from_begin) {
    const Place place{from_begin % world_, from_begin / world_};
    if (place.step < StepsOf(place.rank)) places.push_back(place);
  };
  if (number >= before_) add(number - before_);
  // The padded tail reads numbers from 0 on, again and again.
  if (tail_ == Tail::kPad) {
    const uint64_t end = StepsOf(0) * world_;
    for (uint64_t again = left_ + number; again < end; again += positions_.count()) add(again);
  }
  return places;
}

}  // namespace ofindex
