#include "mmap/batch_plan.h"

#include <algorithm>

#include "base/text.h"
#include "mmap/read_planner.h"
#include "mmap/sources/open_shard.h"

namespace ofindex {
namespace {

// Replaces the lengths of concatenated payloads with their end offsets.
Result<void> AddUp(std::vector<uint64_t>& lengths) {
  uint64_t end = 0;
  for (uint64_t& length_then_end : lengths) {
    if (__builtin_add_overflow(end, length_then_end, &end)) {
      return Fail(ErrorCode::kLimit, StrCat("a batch of ", Counted(lengths.size(), "record"), ", of over 2^64 bytes"),
                  "ask for fewer records at once");
    }
    length_then_end = end;
  }
  return {};
}

}  // namespace

void BatchPlan::Sort(std::span<const uint64_t> ordinals) {
  wanted_.resize(ordinals.size());
  for (size_t i = 0; i < ordinals.size(); ++i) wanted_[i] = {ordinals[i], i};
  std::sort(wanted_.begin(), wanted_.end(), [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
}

// Finds the places of all wanted records that exist. Those that do not exist are last in wanted_.
Result<void> BatchPlan::FindPlaces(const OffsetMap& map) {
  ordinals_.clear();
  for (const Wanted& wanted : wanted_) {
    if (wanted.ordinal < map.records()) ordinals_.push_back(wanted.ordinal);
  }
  places_.resize(ordinals_.size());
  return map.Find(ordinals_, places_);
}

Result<void> BatchPlan::Make(std::span<const uint64_t> ordinals, const ReadPlanner& planner,
                             std::vector<uint64_t>& ends) {
  const size_t n = ordinals.size();
  Sort(ordinals);
  reads_.resize(n);
  shards_.resize(n);
  ends.resize(n);
  OFINDEX_TRY(FindPlaces(planner.map()));
  for (size_t i = 0; i < n; ++i) {
    const auto [ordinal, slot] = wanted_[i];
    if (i >= places_.size()) return tl::unexpected(planner.Locate(ordinal).error());
    const bool same_shard = i != 0 && places_[i].shard == places_[i - 1].shard;
    OFINDEX_ASSIGN(const PlannedRead planned,
                   planner.PlanAt(ordinal, places_[i], same_shard ? shards_[i - 1] : nullptr));
    planner.MakeReady(planned);
    reads_[i] = planned.read;
    shards_[i] = planned.shard;
    ends[slot] = planned.read.length;
  }
  return AddUp(ends);
}

Result<void> BatchPlan::Read(std::span<const uint64_t> ends, uint8_t* out, bool cold) {
  for (size_t i = 0; i < reads_.size(); ++i) reads_[i].out = out + ends[wanted_[i].slot] - reads_[i].length;
  // Prefetches from all shards before it waits for the first.
  for (const bool prefetching : {true, false}) {
    if (prefetching && !cold) continue;
    for (size_t first = 0; first < shards_.size();) {
      size_t last = first + 1;
      while (last < shards_.size() && shards_[last] == shards_[first]) ++last;
      const std::span<const RecordRead> reads(reads_.data() + first, last - first);
      if (prefetching) {
        shards_[first]->Prefetch(reads);
      } else {
        OFINDEX_TRY(shards_[first]->Read(reads));
      }
      first = last;
    }
  }
  return {};
}

}  // namespace ofindex
